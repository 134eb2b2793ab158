/** The place of a story, for any holder of the keys and any reader of the chain. */

import type { RunningCircleDouble } from '../../../sandbox/src/circle/startCircleDouble.ts';
import { explainAsSettlement, listUnexplained } from '../../../server/src/custody/watch/unexplainedMoves.ts';
import type { Db } from '../../../server/src/db/database.ts';
import { checkIdentity, confirmRestore, noteRestore } from '../../../server/src/operators/restores.ts';
import { cancelPayment } from '../../../server/src/payments/sends/cancelPayment.ts';
import { importedId, importPayment } from '../../../server/src/payments/tracking/importPayment.ts';
import { SET_UPS } from '../circle/sendingWorld.ts';

/** On Solana and Aptos, Circle sends, and no node of ours reads the chain. */
export const WALLET_SETUPS = [...SET_UPS, 'Solana', 'Aptos'] as const;
export type WalletSetup = (typeof WALLET_SETUPS)[number];
/** The set-ups in which wallets are at Circle. */
export const AT_CIRCLE = WALLET_SETUPS.filter((place) => place !== 'own keys');
/** The set-ups in which Circle makes the transfers. */
export const CIRCLE_SENDS = AT_CIRCLE.filter((place) => place !== 'Circle signs');

export type ServersWere = 'stopped' | 'left running';

/** A person with a wallet in this place. */
export interface Person {
  readonly userId: string | null;
  readonly walletId: string;
  readonly address: string;
}

interface SendRequest {
  readonly walletId: string;
  readonly destination: string;
  readonly amount: string;
}

export interface Stage {
  readonly place: WalletSetup;
  /** The current database: a restore replaces it. */
  readonly db: Db;
  readonly databaseUrl: string;
  /** Undefined with local keys. */
  readonly double: RunningCircleDouble | undefined;
  /** The time for which the signer assumes that Circle remembers keys. */
  readonly life: { keyMs: number };
  /** People with this much USDC each, credited; multiples of ten, because that is what Circle's faucet gives. */
  people<Name extends string>(amounts: Readonly<Record<Name, string>>): Promise<Record<Name, Person>>;
  /** An address that belongs to no one here. */
  newAddress(): string;
  /** The id of the payment, or the code of its refusal. The same key is the same call. */
  send(request: SendRequest, key: string): Promise<string>;
  /** `released`, `asked` or `before`; or the code of the refusal. */
  cancel(paymentId: string): Promise<string>;
  /** Undefined: the database does not know the payment. */
  stateOf(paymentId: string): Promise<string | undefined>;
  /** Amounts of all transfers to this address that have happened. */
  paidTo(address: string): Promise<bigint[]>;
  available(...people: readonly Person[]): Promise<bigint[]>;
  /** One pass of everything a worker does. */
  work(): Promise<void>;
  /** A block is mined, and Circle advances its transfers by some steps. */
  step(): Promise<void>;
  /** This many hours pass for the chain and for every row of the database. */
  age(hours: number): Promise<void>;
  /** Works and steps until nothing is in progress, for a bounded number of passes. */
  settleDown(): Promise<void>;
  /** Reads what the chain or the provider reports. */
  poll(): Promise<void>;
  /**
   * The operators' steps after a restore (docs/operating/restore.md), after clients have repeated their calls, or
   * before.
   */
  importMoves(are?: 'payments' | 'settlements'): Promise<void>;
  /** The last steps of that page. */
  goOn(): Promise<void>;
  /** `isRestored`: with the steps of that page before servers start, and what servers do when they start. */
  openServers(options?: { readonly isRestored?: boolean }): Promise<void>;
  /** Afterwards no connection is open. */
  closeServers(): Promise<void>;
  /** Returns the contradictions. */
  faults(): Promise<string[]>;
  stop(): Promise<void>;
}

/** `florin restore note`. */
export const sayRestored = (db: Db): Promise<void> =>
  db.tx((tx) => noteRestore(tx, 'the story says so', 'operator:anna'));

/** Does what `docs/operating/restore.md` requires before servers start, and what servers do when they start. */
export async function noteRestored(db: Db): Promise<void> {
  await sayRestored(db);
  await checkIdentity(db);
  await db.query('SELECT ledger_rebase()');
}

export async function importMoves(db: Db, are: 'payments' | 'settlements' = 'payments'): Promise<void> {
  for (const move of await listUnexplained(db)) {
    // The chain does not show what a provider's transfer between two of our wallets was, so an operator says it.
    const isUnclear = move.toWallet !== null && !move.hasNonce && !move.isSettlement;
    await db.tx((tx) =>
      isUnclear && are === 'settlements'
        ? explainAsSettlement(tx, move)
        : importPayment(tx, importedId(move), move).then(() => true),
    );
  }
}

export async function confirmAll(db: Db): Promise<void> {
  for (const what of ['keys', 'sessions'] as const) {
    await db.tx((tx) => confirmRestore(tx, what, 'operator:anna'));
  }
}

/** A server that lost its connection reports it, and the client asks again. */
export async function codeOf(call: () => Promise<string>): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const { code } = error as { code?: string };
      if (!code) throw error;
      if (code !== 'service.unavailable' || attempt >= 50) return code;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

export const cancelIn = (db: Db, paymentId: string): Promise<string> =>
  codeOf(() => db.tx((tx) => cancelPayment(tx, { paymentId })));

/** In the given order; an unknown person has nothing. Held money is not spendable. */
export async function readAvailable(db: Db, assetId: number, people: readonly Pick<Person, 'userId'>[]) {
  const rows = await db.query<{ user_id: string | null; kind: string; available: bigint }>(
    'SELECT user_id, kind, available FROM accounts WHERE asset_id = $1',
    [assetId],
  );
  return people.map(
    ({ userId }) => rows.find((row) => (userId ? row.user_id === userId : row.kind === 'treasury'))?.available ?? 0n,
  );
}
