/**
 * `custody/books` audits the ledger while people pay: does every balance match its movements
 * (docs/decisions/0046-a-continuous-audit.md)? It alone writes `book_audits` and `book_faults`, and it changes no
 * money. Its sums add up a secret hash per balance, so they only show that something is wrong; `findFaults` names the
 * fault. `bin` may call it.
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

/** The result of reading one snapshot. */
export interface Sample {
  readonly seqBase: bigint;
  /** By the database's clock. */
  readonly at: Date;
  /** Every movement up to here is in `settled`. No further movement can be added below it. */
  readonly upto: bigint;
  readonly settled: Part;
  /** Committed movements below which others may still be added. They are read again. */
  readonly open: Sums;
  /** Undefined: there are more movements than were read, so the balances were not compared. */
  readonly accounts?: { readonly sums: Sums; readonly balances: Sums };
}

interface Movements {
  readonly asset: number;
  readonly rows: number;
  readonly settled: string;
  readonly open: string;
  readonly broken: readonly string[] | null;
}

/** `after` undefined: reads only the movements that are not settled yet, and the accounts. */
export async function readSample(
  db: Queryable,
  seed: bigint,
  after: bigint | undefined,
  limit: number,
): Promise<Sample> {
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
  /** The last movement that was read; undefined: there were none. */
  readonly last: bigint | undefined;
}

/** Adds up the next past movements, up to `upto`. */
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
  return { ...part, last };
}

export function addSums(one: Sums, other: Sums): Sums {
  const sums = new Map(one);
  for (const [asset, sum] of other) sums.set(asset, (sums.get(asset) ?? 0n) + sum);
  return sums;
}

export const subtractSums = (one: Sums, other: Sums): Sums =>
  addSums(one, new Map([...other].map(([asset, sum]) => [asset, -sum])));

/** Returns the assets whose sums differ. */
export const findDifferent = (one: Sums, other: Sums): number[] =>
  [...subtractSums(one, other)].filter(([, sum]) => sum !== 0n).map(([asset]) => asset);
