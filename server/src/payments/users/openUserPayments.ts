import { createKnownSessions, type KnownSessions } from '../../customers/sessions/knownSessions.ts';
import { createBatcher } from '../../db/createBatcher.ts';
import type { Queryable } from '../../db/database.ts';
import { isConflict } from '../../db/isConflict.ts';
import { openDedicatedConnection } from '../../db/openDedicatedConnection.ts';
import { openAsset } from '../../ledger/accounts.ts';
import type { PayCommand, PaymentPreview, PayOutcome } from './payCommand.ts';
import { type PayContext, payUsers, previewPayment } from './payUsers.ts';
import { openDirectory } from './resolveParties.ts';

/** Collects the payments between users that this process receives, and pays them in batches. */
export interface UserPayments {
  readonly blockchain: string;
  submit(command: PayCommand): Promise<PayOutcome>;
  /** Returns the outcome that the payment would have now; nothing is paid. */
  preview(command: PayCommand): Promise<PaymentPreview>;
  close(): Promise<void>;
}

interface UserPaymentsOptions {
  readonly databaseUrl: string;
  /** Used once, at the first payment; the batches have their own connections. */
  readonly db: Queryable;
  readonly homeBlockchain: string;
  /** The currency in which people pay each other. */
  readonly currency: string;
  /** The callers' sessions. Commands without a `caller` need none. */
  readonly sessions?: KnownSessions;
  readonly concurrency?: number;
  readonly maxBatch?: number;
  readonly maxQueue?: number;
  readonly giveUpAfterMs?: number;
}

/** Connections for payments with account keys, which wait for the budgets of their keys. */
const KEY_CONNECTIONS = 2;

/** Fewer payments wait for the batch under way. Measured: decision 22. */
const SPREAD_FROM = 8;

/** More are refused: people wait for a preview, and payments come first. */
const MAX_PREVIEWS = 200;

interface UnderWay {
  readonly command: PayCommand;
  readonly outcome: Promise<PayOutcome>;
}

/** Does not connect until the first payment. */
export function openUserPayments(options: UserPaymentsOptions): UserPayments {
  const { databaseUrl, db, homeBlockchain, currency, concurrency = 2, maxBatch, maxQueue, giveUpAfterMs } = options;
  const sessions = options.sessions ?? createKnownSessions();
  const connections = Array.from({ length: concurrency }, () =>
    openDedicatedConnection(databaseUrl, { applicationName: 'florin-payments' }),
  );
  let opened: PayContext | undefined;

  async function open() {
    const assetId = await openAsset(db, homeBlockchain, currency);
    opened ??= { assetId, directory: openDirectory(assetId), sessions };
    return opened;
  }

  const batcher = createBatcher<PayCommand, PayOutcome>({
    concurrency,
    spreadFrom: SPREAD_FROM,
    isConflict,
    ...(maxBatch !== undefined && { maxBatch }),
    ...(maxQueue !== undefined && { maxQueue }),
    ...(giveUpAfterMs !== undefined && { giveUpAfterMs }),
    onSettled: ({ paymentId }) => underWay.delete(paymentId),
    run: async (slot, commands) => {
      const context = opened ?? (await open());
      return payUsers(connections[slot]!, context, commands);
    },
  });

  const keyConnections = Array.from({ length: KEY_CONNECTIONS }, () =>
    openDedicatedConnection(databaseUrl, { applicationName: 'florin-key-payments' }),
  );
  const byKey = createBatcher<PayCommand, PayOutcome>({
    concurrency: KEY_CONNECTIONS,
    maxBatch: 1,
    isConflict,
    ...(maxQueue !== undefined && { maxQueue }),
    ...(giveUpAfterMs !== undefined && { giveUpAfterMs }),
    onSettled: ({ paymentId }) => underWay.delete(paymentId),
    run: async (slot, commands) => payUsers(keyConnections[slot]!, opened ?? (await open()), commands),
  });

  // One at a time, each alone: in a batch, a preview would see what earlier previews appear to have spent.
  const previewConnection = openDedicatedConnection(databaseUrl, { applicationName: 'florin-previews' });
  const previews = createBatcher<PayCommand, PaymentPreview>({
    concurrency: 1,
    maxBatch: 1,
    maxQueue: MAX_PREVIEWS,
    isConflict,
    run: async (_, [command]) => [await previewPayment(previewConnection, opened ?? (await open()), command!)],
  });

  /** The same id twice in one batch would fail the whole batch, so a duplicate waits for the outcome of the first. */
  const underWay = new Map<string, UnderWay>();

  async function submitAfter(first: UnderWay, command: PayCommand): Promise<PayOutcome> {
    const decided = await first.outcome.catch(() => undefined);
    if (decided && isStored(decided) && isSameCaller(first.command, command)) {
      return isSame(first.command, command) ? { ...decided, before: true } : { before: true, result: 'mismatch' };
    }
    return submit(command);
  }

  function submit(command: PayCommand): Promise<PayOutcome> {
    const { paymentId } = command;
    const first = underWay.get(paymentId);
    if (first) return submitAfter(first, command);
    const entry = { command } as { command: PayCommand; outcome: Promise<PayOutcome> };
    // Set first, because a command that is refused immediately is settled immediately.
    underWay.set(paymentId, entry);
    entry.outcome = (command.accountKey ? byKey : batcher).submit(command);
    return entry.outcome;
  }

  return {
    blockchain: homeBlockchain,
    submit,
    preview: (command) => previews.submit(command),
    async close() {
      await Promise.all([batcher.close(), byKey.close(), previews.close()]);
      await Promise.all([...connections, ...keyConnections, previewConnection].map((connection) => connection.close()));
    },
  };
}

const NOT_STORED: ReadonlySet<string> = new Set([
  'service.paused',
  'user.paused',
  'auth.invalid',
  'auth.scope',
  'passkey.required',
]);

const isSameCaller = (a: PayCommand, b: PayCommand): boolean =>
  a.caller?.accessToken === b.caller?.accessToken &&
  a.accountKey?.keyId === b.accountKey?.keyId &&
  a.accountKey?.client === b.accountKey?.client;

/** A mismatch, a pause or an ended session is not stored under the payment's id, so a waiting duplicate tries again. */
const isStored = ({ result }: PayOutcome): boolean =>
  result !== 'mismatch' && !(result.outcome === 'refused' && NOT_STORED.has(result.code));

const isSame = (a: PayCommand, b: PayCommand): boolean =>
  a.senderId === b.senderId && a.receiverText === b.receiverText && a.amount === b.amount && a.note === b.note;
