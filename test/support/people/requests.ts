/** People with sessions, and servers that pay requests: each has its own connections, caches and batches. */
import { PayError } from '../../../server/src/core/errors.ts';
import { parseUsdc } from '../../../server/src/core/money.ts';
import { type Callers, openCallers } from '../../../server/src/customers/sessions/openCallers.ts';
import { openSession } from '../../../server/src/customers/sessions/sessions.ts';
import type { Db } from '../../../server/src/db/database.ts';
import { type AskForMoney, askForMoney } from '../../../server/src/payments/requests/askForMoney.ts';
import { endRequest } from '../../../server/src/payments/requests/endRequest.ts';
import { payRequest } from '../../../server/src/payments/requests/payRequest.ts';
import { openUserPayments, type UserPayments } from '../../../server/src/payments/users/openUserPayments.ts';
import { createPerson, type Person } from '../payments.ts';
import { HOME } from '../values.ts';

const RULES = { accessTokenSeconds: 90_000, refreshTokenSeconds: 90_000, sessionSeconds: 90_000 };

export interface Visitor extends Person {
  readonly accessToken: string;
}

export async function createVisitor(db: Db, username: string, amount?: string): Promise<Visitor> {
  const person = await createPerson(db, username, amount);
  const { accessToken } = await db.tx((tx) => openSession(tx, RULES, person.userId, null));
  return { ...person, accessToken };
}

export interface RequestsServer {
  readonly db: Db;
  readonly callers: Callers;
  readonly userPayments: UserPayments;
  close(): Promise<void>;
}

export function openRequestsServer(db: Db, databaseUrl: string): RequestsServer {
  const callers = openCallers(databaseUrl);
  const userPayments = openUserPayments({
    databaseUrl,
    db,
    homeBlockchain: HOME,
    currency: 'USDC',
    sessions: callers.sessions,
  });
  return {
    db,
    callers,
    userPayments,
    async close() {
      await userPayments.close();
      await callers.close();
    },
  };
}

/** The id of a new request, or the code of the refusal. */
export const ask = (db: Db, asker: Person, more: Partial<Omit<AskForMoney, 'amount'>> & { amount?: string } = {}) => {
  const { amount = '1', ...rest } = more;
  const asked = { askerId: asker.userId, payer: null, note: null, expiresAt: null, ...rest, amount: parseUsdc(amount) };
  return db.tx((tx) => askForMoney(tx, asked)).then(({ requestId }) => requestId, toCode);
};

/** `paid`, `again`, or the code of the refusal with its state. */
export async function pay(server: RequestsServer, payer: Visitor, requestId: string): Promise<string> {
  try {
    const caller = await server.callers.recall(payer.accessToken);
    const { replayed, result } = await payRequest(server, { requestId, caller });
    if ('refusal' in result) return toCode(result.refusal);
    return replayed ? 'again' : 'paid';
  } catch (error) {
    return toCode(error);
  }
}

/** `declined`, `cancelled`, or the code of the refusal with its state. */
export const end = (db: Db, person: Person, requestId: string, state: 'declined' | 'cancelled'): Promise<string> =>
  db.tx((tx) => endRequest(tx, { requestId, userId: person.userId, state })).then((one) => one.state, toCode);

function toCode(error: unknown): string {
  if (!(error instanceof PayError)) throw error;
  return error.details.state === undefined ? error.code : `${error.code}: ${error.details.state}`;
}
