import pg from 'pg';
import { createKnownSessions, type KnownSessions } from '../../customers/sessions/knownSessions.ts';
import { createBatcher } from '../../db/createBatcher.ts';
import type { Queryable } from '../../db/database.ts';
import { openLane } from '../../db/openLane.ts';
import { openAsset } from '../../ledger/accounts.ts';
import { type PayCommand, type PayDesk, type PayOutcome, payUsers } from './payUsers.ts';
import { openDirectory } from './resolveParties.ts';

/** The batches of this process through which users pay each other. */
export interface UserPayments {
  readonly blockchain: string;
  submit(command: PayCommand): Promise<PayOutcome>;
  close(): Promise<void>;
}

interface UserPaymentsOptions {
  readonly databaseUrl: string;
  /** For the first look at the database; the batches have connections of their own. */
  readonly db: Queryable;
  readonly homeBlockchain: string;
  /** Of the callers whose payments these are; without them calls are bare. */
  readonly sessions?: KnownSessions;
  readonly lanes?: number;
  readonly maxBatch?: number;
  readonly maxQueue?: number;
  readonly giveUpAfterMs?: number;
}

/** 23505: another process is committing the same id. 40P01, 40001: locks got in each other's way. */
const CONFLICTS: ReadonlySet<string> = new Set(['23505', '40P01', '40001']);
const isConflict = (error: unknown): boolean => error instanceof pg.DatabaseError && CONFLICTS.has(error.code ?? '');

/** Opens at once; the database is first needed by the first payment. */
export function openUserPayments(options: UserPaymentsOptions): UserPayments {
  const { databaseUrl, db, homeBlockchain, lanes = 2, maxBatch, maxQueue, giveUpAfterMs } = options;
  const sessions = options.sessions ?? createKnownSessions();
  const connections = Array.from({ length: lanes }, () =>
    openLane(databaseUrl, { applicationName: 'florin-payments' }),
  );
  let opened: PayDesk | undefined;

  async function open() {
    const assetId = await openAsset(db, homeBlockchain);
    await db.query('SELECT ledger_rebase()');
    opened ??= { assetId, directory: openDirectory(assetId), sessions };
    return opened;
  }

  const batcher = createBatcher<PayCommand, PayOutcome>({
    lanes,
    isConflict,
    ...(maxBatch !== undefined && { maxBatch }),
    ...(maxQueue !== undefined && { maxQueue }),
    ...(giveUpAfterMs !== undefined && { giveUpAfterMs }),
    run: async (lane, commands) => {
      const desk = opened ?? (await open());
      return payUsers(connections[lane]!, desk, commands);
    },
  });

  /** The same id twice in one batch would refuse the whole batch: whoever comes second waits, and hears the same. */
  const underWay = new Map<string, { readonly command: PayCommand; readonly outcome: Promise<PayOutcome> }>();

  async function submit(command: PayCommand): Promise<PayOutcome> {
    const { paymentId } = command;
    for (let first = underWay.get(paymentId); first; first = underWay.get(paymentId)) {
      const decided = await first.outcome.catch(() => undefined);
      if (decided && isLasting(decided) && first.command.caller?.accessToken === command.caller?.accessToken) {
        return isSame(first.command, command) ? { ...decided, before: true } : { before: true, result: 'mismatch' };
      }
    }
    const outcome = batcher.submit(command);
    const forget = () => underWay.delete(paymentId);
    underWay.set(paymentId, { command, outcome });
    outcome.then(forget, forget);
    return outcome;
  }

  return {
    blockchain: homeBlockchain,
    submit,
    async close() {
      await batcher.close();
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}

const PASSING: ReadonlySet<string> = new Set(['service.paused', 'user.paused', 'auth.invalid']);

/** A mismatch is about the second request, a pause about now, a session about who asks: no id stands for them. */
const isLasting = ({ result }: PayOutcome): boolean =>
  result !== 'mismatch' && !(result.outcome === 'refused' && PASSING.has(result.code));

const isSame = (a: PayCommand, b: PayCommand): boolean =>
  a.senderId === b.senderId && a.receiverText === b.receiverText && a.amount === b.amount;
