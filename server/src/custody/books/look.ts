/**
 * `custody/books` audits the ledger while people pay: whether every balance is what its movements lead to
 * (docs/decisions/0046-a-continuous-audit.md). It alone writes `book_audits` and `book_faults`; it changes no money. Sums are
 * of a secret hash per balance, and say only that something is wrong; `findFaults` says what. Called by `bin`.
 */
import type { Queryable } from '../../db/database.ts';

/** Per asset. */
export type Sums = ReadonlyMap<number, bigint>;

interface Part {
  readonly rows: number;
  readonly sums: Sums;
  /** The `seq` of movements that break a rule by themselves. */
  readonly broken: readonly bigint[];
}

/** What was read in one snapshot. */
export interface Look {
  readonly seqBase: bigint;
  /** By the database's clock. */
  readonly at: Date;
  /** Every movement up to here is in `settled`, and none will ever come there. */
  readonly upto: bigint;
  readonly settled: Part;
  /** Committed, but others may still come before them: they are read again. */
  readonly open: Sums;
  /** Undefined: there are more movements than were read, so balances were not compared. */
  readonly accounts?: { readonly sums: Sums; readonly balances: Sums };
}

interface Movements {
  readonly asset: number;
  readonly rows: number;
  readonly settled: string;
  readonly open: string;
  readonly broken: readonly string[] | null;
}

/** `after` undefined: only what is not settled yet, and the accounts. */
export async function readLook(db: Queryable, seed: bigint, after: bigint | undefined, limit: number): Promise<Look> {
  const [row] = await db.query<{
    at: Date;
    o_seq_base: bigint;
    o_upto: bigint;
    o_is_head: boolean;
    o_movements: readonly Movements[] | null;
    o_accounts: readonly { asset: number; sum: string; balance: string }[] | null;
  }>('SELECT clock_timestamp() AS at, * FROM books_look($1, $2, $3)', [seed, after ?? null, limit]);
  const {
    at,
    o_seq_base: seqBase,
    o_upto: upto,
    o_is_head: isHead,
    o_movements: movements,
    o_accounts: accounts,
  } = row!;
  const found = movements ?? [];
  const toSums = <One extends { asset: number }>(all: readonly One[], read: (one: One) => string): Sums =>
    new Map(all.map((one) => [one.asset, BigInt(read(one))]));
  return {
    seqBase,
    at,
    upto,
    settled: toPart(found),
    open: toSums(found, (one) => one.open),
    ...(isHead && {
      accounts: {
        sums: toSums(accounts ?? [], (one) => one.sum),
        balances: toSums(accounts ?? [], (one) => one.balance),
      },
    }),
  };
}

const toPart = (found: readonly Movements[]): Part => ({
  rows: found.reduce((sum, { rows }) => sum + rows, 0),
  sums: new Map(found.map(({ asset, settled }) => [asset, BigInt(settled)])),
  broken: found.flatMap(({ broken }) => (broken ?? []).map(BigInt)),
});

interface Slice extends Part {
  /** How far it came; undefined: there was nothing. */
  readonly last: bigint | undefined;
}

/** The next movements of the past, up to `upto`: adds them up, and looks for ids that were given twice. */
export async function readSlice(
  db: Queryable,
  seed: bigint,
  { after, upto, limit }: { readonly after: bigint; readonly upto: bigint; readonly limit: number },
): Promise<Slice> {
  const rows = await db.query<{
    asset_id: number;
    rows: number;
    last_seq: bigint;
    settled: string;
    broken: bigint[] | null;
  }>(
    `SELECT asset_id, rows::int, last_seq, settled::text, broken::text[] FROM books_rows($1, $2, $3::bigint, $3::bigint + 1, $4)`,
    [seed, after, upto, limit],
  );
  const found = rows.map((row) => ({
    asset: row.asset_id,
    rows: row.rows,
    settled: row.settled,
    open: '0',
    broken: row.broken?.map(String) ?? null,
  }));
  const last = rows.reduce<bigint | undefined>(
    (max, row) => (max && max > row.last_seq ? max : row.last_seq),
    undefined,
  );
  const part = toPart(found);
  if (last === undefined) return { ...part, last };
  const [ids] = await db.query<{ twice: string[] }>('SELECT books_double_ids($1, $2)::text[] AS twice', [after, last]);
  return { ...part, last, broken: [...part.broken, ...ids!.twice.map(BigInt)] };
}

export function addSums(one: Sums, other: Sums): Sums {
  const sums = new Map(one);
  for (const [asset, sum] of other) sums.set(asset, (sums.get(asset) ?? 0n) + sum);
  return sums;
}

export const subtractSums = (one: Sums, other: Sums): Sums =>
  addSums(one, new Map([...other].map(([asset, sum]) => [asset, -sum])));

/** The assets whose sums are not the same. */
export const findDifferent = (one: Sums, other: Sums): number[] =>
  [...subtractSums(one, other)].filter(([, sum]) => sum !== 0n).map(([asset]) => asset);
