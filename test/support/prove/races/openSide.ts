/**
 * One side of a race: everything that a server, a worker and operators have open, with its own connections and caches.
 */
import { eip3009Rail } from '../../../../server/src/custody/eip3009/eip3009Rail.ts';
import type { Network } from '../../../../server/src/custody/network.ts';
import type { CustodyApp } from '../../../../server/src/custody/rail.ts';
import { type Callers, openCallers } from '../../../../server/src/customers/sessions/openCallers.ts';
import { type Db, openDatabase } from '../../../../server/src/db/database.ts';
import { openSends, type Sends } from '../../../../server/src/payments/sends/openSends.ts';
import { openUserPayments, type UserPayments } from '../../../../server/src/payments/users/openUserPayments.ts';
import { PATIENT, type TestDatabase } from '../../database.ts';
import { HOME } from '../../values.ts';
import { openChain } from './openChain.ts';

const OPERATORS = ['anna', 'rita', 'rolf', 'ada'] as const;
export type RaceOperator = (typeof OPERATORS)[number];

export interface Side {
  readonly db: Db;
  readonly operators: Readonly<Record<RaceOperator, Db>>;
  readonly callers: Callers;
  readonly userPayments: UserPayments;
  readonly sends: Sends;
  readonly custody: CustodyApp;
  readonly network: Network;
  close(): Promise<void>;
}

export function openSide(database: TestDatabase, through: (url: string) => string): Side {
  const url = through(database.url);
  const db = openDatabase(url, { ...PATIENT, maxConnections: 4 });
  const operators = Object.fromEntries(
    OPERATORS.map((name) => [name, openDatabase(through(database.urlOf(name)), { ...PATIENT, maxConnections: 2 })]),
  ) as Record<RaceOperator, Db>;
  const callers = openCallers(url);
  const userPayments = openUserPayments({
    databaseUrl: url,
    db,
    homeBlockchain: HOME,
    currency: 'USDC',
    sessions: callers.sessions,
    concurrency: 1,
  });
  const sends = openSends({ db, sendRules: { approvalThreshold: undefined, newRecipientDelaySeconds: 0 } });
  const custody = { db, signer: {}, rails: { local: eip3009Rail } } as unknown as CustodyApp;
  return {
    db,
    operators,
    callers,
    userPayments,
    sends,
    custody,
    network: openChain(),
    async close() {
      await Promise.all([userPayments.close(), sends.close()]);
      await callers.close();
      await Promise.all([db, ...Object.values(operators)].map((one) => one.close()));
    },
  };
}
