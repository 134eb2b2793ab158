import type { Queryable } from '../../db/database.ts';
import { makeSeed } from './auditState.ts';
import {
  describeBroken,
  type Fault,
  findAccountFaults,
  findLasting,
  findRowFaults,
  isNamed,
  unclearHistory,
  unevenSum,
} from './findFaults.ts';
import { addSums, findDifferent, readSample, readSlice, type Sums, subtractSums } from './sample.ts';

export interface AuditProgress {
  readonly rows: number;
  readonly about: number;
  readonly seconds: number;
  /** The movements are read a second time, to name the faults. */
  readonly isNaming: boolean;
}

interface WholeAudit {
  readonly rows: number;
  readonly seconds: number;
  readonly faults: readonly Fault[];
}

const SLICE_ROWS = 50_000;
const SAMPLE_ROWS = 5_000_000;

/**
 * Audits the whole ledger in one run, at full speed, with the checks of the continuous audit. The balances, and their
 * expected values, come from one snapshot at the start; all movements up to it are then read in slices. Those movements
 * no longer change, so concurrent payments do not affect the result. At the end every fault is checked again.
 */
export async function auditWhole(
  db: Queryable,
  onProgress: (progress: AuditProgress) => void = () => {},
): Promise<WholeAudit> {
  const began = performance.now();
  const seed = makeSeed();
  const first = await readSample(db, seed, undefined, SAMPLE_ROWS);
  if (!first.accounts) throw new Error('a long-running database transaction prevents movements from being settled');
  const wanted = subtractSums(first.accounts.sums, first.open);
  const about = await estimateRows(db);
  const report = (rows: number, isNaming: boolean) =>
    onProgress({ rows, about, seconds: (performance.now() - began) / 1_000, isNaming });

  let sums: Sums = new Map();
  let rows = 0;
  const broken: bigint[] = [];
  for (let after = -1n; after < first.upto; ) {
    const slice = await readSlice(db, seed, { after, upto: first.upto, limit: SLICE_ROWS });
    sums = addSums(sums, slice.sums);
    rows += slice.rows;
    broken.push(...slice.broken);
    after = slice.rows < SLICE_ROWS ? first.upto : slice.last!;
    report(rows, false);
  }

  const faults = await describeBroken(db, broken);
  const different = findDifferent(sums, wanted);
  if (different.length > 0) {
    let named = 0;
    const onPart = (part: number) => {
      named += part;
      report(named, true);
    };
    // The wrong movement may be one of the newest, which are not settled yet.
    const found = await findRowFaults(db, { after: -1n, upto: await findLastSeq(db) }, { onPart });
    faults.push(...(await findLasting(db, [...found, ...(await findAccountFaults(db))])));
    faults.push(...different.filter((asset) => !faults.some((one) => one.assetId === asset)).map(unclearHistory));
  }
  for (const [asset, balance] of first.accounts.balances) if (balance !== 0n) faults.push(unevenSum(asset, balance));
  const unique = [...new Map(faults.map((one) => [`${one.assetId} ${one.subject}`, one])).values()];
  const sorted = [...unique.filter(isNamed), ...unique.filter((one) => !isNamed(one))];
  return { rows, seconds: (performance.now() - began) / 1_000, faults: sorted };
}

async function findLastSeq(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ last: bigint | null }>('SELECT max(seq) AS last FROM transfers');
  return row!.last ?? -1n;
}

async function estimateRows(db: Queryable): Promise<number> {
  const [row] = await db.query<{ rows: number }>(
    `SELECT greatest(reltuples, 0)::float8 AS rows FROM pg_class WHERE oid = 'transfers'::regclass`,
  );
  return row!.rows;
}
