import { randomBytes } from 'node:crypto';
import type { Queryable } from '../../db/database.ts';
import type { Sums } from './sample.ts';

/** A row of `book_audits`; see the documentation of that table. */
export interface AuditState {
  readonly version: bigint;
  readonly seed: bigint;
  readonly seqBase: bigint;
  readonly tail: { readonly seq: bigint; readonly sums: Sums };
  readonly comparedAt: Date;
  readonly comparedSeq: bigint;
  readonly cycle: Cycle;
  readonly cycleEndedAt: Date | null;
  readonly cycleSeconds: number | null;
  readonly rowsTotal: bigint;
}

/** `now` is by the database's clock. */
type StoredState = AuditState & { readonly now: Date };

interface Cycle {
  readonly upto: bigint;
  readonly wanted: Sums;
  readonly seq: bigint;
  readonly sums: Sums;
  readonly rows: bigint;
  readonly beganAt: Date;
  readonly names: boolean;
}

/** From the first movement to the current end of the tail. */
export const beginCycle = ({ seq, sums }: AuditState['tail'], beganAt: Date, names = false): Cycle => ({
  upto: seq,
  wanted: sums,
  seq: -1n,
  sums: new Map(),
  rows: 0n,
  beganAt,
  names,
});

export const makeSeed = (): bigint => randomBytes(8).readBigInt64BE();

interface Row {
  readonly version: bigint;
  readonly seed: bigint;
  readonly seq_base: bigint;
  readonly tail_seq: bigint;
  readonly tail_sums: Readonly<Record<string, string>>;
  readonly compared_at: Date;
  readonly compared_seq: bigint;
  readonly cycle_upto: bigint;
  readonly cycle_wanted: Readonly<Record<string, string>>;
  readonly cycle_seq: bigint;
  readonly cycle_sums: Readonly<Record<string, string>>;
  readonly cycle_rows: bigint;
  readonly cycle_began_at: Date;
  readonly cycle_names: boolean;
  readonly cycle_ended_at: Date | null;
  readonly cycle_seconds: number | null;
  readonly rows_total: bigint;
  readonly now: Date;
}

const parseSums = (stored: Readonly<Record<string, string>>): Sums =>
  new Map(Object.entries(stored).map(([asset, sum]) => [Number.parseInt(asset, 10), BigInt(sum)]));
const renderSums = (sums: Sums): string =>
  JSON.stringify(Object.fromEntries([...sums].map(([k, v]) => [k, String(v)])));

export async function findAuditState(db: Queryable): Promise<StoredState | undefined> {
  const [row] = await db.query<Row>('SELECT *, clock_timestamp() AS now FROM book_audits');
  return (
    row && {
      version: row.version,
      seed: row.seed,
      seqBase: row.seq_base,
      tail: { seq: row.tail_seq, sums: parseSums(row.tail_sums) },
      comparedAt: row.compared_at,
      comparedSeq: row.compared_seq,
      cycle: {
        upto: row.cycle_upto,
        wanted: parseSums(row.cycle_wanted),
        seq: row.cycle_seq,
        sums: parseSums(row.cycle_sums),
        rows: row.cycle_rows,
        beganAt: row.cycle_began_at,
        names: row.cycle_names,
      },
      cycleEndedAt: row.cycle_ended_at,
      cycleSeconds: row.cycle_seconds,
      rowsTotal: row.rows_total,
      now: row.now,
    }
  );
}

/**
 * Returns false if another worker has written the state in the meantime; the findings of this call then do not count.
 * No payment waits for this write, and it is cheap to repeat, so it need not survive a crash.
 */
export async function keepAuditState(db: Queryable, state: AuditState): Promise<boolean> {
  const { cycle, tail } = state;
  const rows = await db.query(
    `INSERT INTO book_audits AS b (version, seed, seq_base, tail_seq, tail_sums, compared_at, compared_seq, cycle_upto,
       cycle_wanted, cycle_seq, cycle_sums, cycle_rows, cycle_began_at, cycle_names, cycle_ended_at, cycle_seconds, rows_total)
     SELECT $1 + 1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17
     ON CONFLICT (only_one) DO UPDATE SET version = excluded.version, seed = excluded.seed, seq_base = excluded.seq_base,
       tail_seq = excluded.tail_seq, tail_sums = excluded.tail_sums, compared_at = excluded.compared_at,
       compared_seq = excluded.compared_seq, cycle_upto = excluded.cycle_upto, cycle_wanted = excluded.cycle_wanted,
       cycle_seq = excluded.cycle_seq, cycle_sums = excluded.cycle_sums, cycle_rows = excluded.cycle_rows, cycle_began_at = excluded.cycle_began_at,
       cycle_names = excluded.cycle_names, cycle_ended_at = excluded.cycle_ended_at,
       cycle_seconds = excluded.cycle_seconds, rows_total = excluded.rows_total
      WHERE b.version = $1
     RETURNING 1`,
    [
      state.version,
      state.seed,
      state.seqBase,
      tail.seq,
      renderSums(tail.sums),
      state.comparedAt,
      state.comparedSeq,
      cycle.upto,
      renderSums(cycle.wanted),
      cycle.seq,
      renderSums(cycle.sums),
      cycle.rows,
      cycle.beganAt,
      cycle.names,
      state.cycleEndedAt,
      state.cycleSeconds,
      state.rowsTotal,
    ],
  );
  return rows.length > 0;
}
