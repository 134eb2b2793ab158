import type { Db } from '../../db/database.ts';
import { type AuditState, beginCycle, findAuditState, keepAuditState, makeSeed } from './auditState.ts';
import {
  describeBroken,
  type Fault,
  findAccountFaults,
  findRowFaults,
  isNamed,
  unclearHistory,
  unevenSum,
} from './findFaults.ts';
import { recordFaults } from './recordFaults.ts';
import { addSums, findDifferent, readSample, type Sample, subtractSums } from './sample.ts';

/** The most movements that one sample reads. */
const SAMPLE_ROWS = 500_000;
/** Within this many movements a fault is named immediately. The cycle finds the others. */
const NAMED_ROWS = 200_000;
const WALKED_ROWS = 20_000;
const LAST_SEQ = 2n ** 63n - 1n;

interface Tail {
  /** False: there are more movements, or another worker was faster. The balances were not compared. */
  readonly isAtHead: boolean;
  readonly fresh: readonly Fault[];
}

/**
 * Reads the new movements and all balances in one snapshot, and checks that the balances match the movements. If
 * nothing is stored, or the database was restored, it starts again from the current balances; the cycle checks whether
 * those were right.
 */
export async function auditTail(db: Db, limit = SAMPLE_ROWS): Promise<Tail> {
  const state = await findAuditState(db);
  if (!state) return begin(db, 0n, limit);
  const sample = await readSample(db, state.seed, state.tail.seq, limit);
  if (state.seqBase !== sample.seqBase || sample.upto < state.tail.seq) return begin(db, state.version, limit);
  const next = {
    ...state,
    tail: { seq: sample.upto, sums: addSums(state.tail.sums, sample.settled.sums) },
    rowsTotal: state.rowsTotal + BigInt(sample.settled.rows),
  };
  const broken = sample.settled.broken.length > 0 ? await describeBroken(db, sample.settled.broken) : [];
  if (sample.accounts) return compare(db, next, sample, sample.accounts, broken);
  const { fresh } = broken.length > 0 ? await recordFaults(db, { named: broken }) : { fresh: [] };
  await keepAuditState(db, next);
  return { isAtHead: false, fresh };
}

async function begin(db: Db, version: bigint, limit: number): Promise<Tail> {
  const seed = makeSeed();
  const { accounts, open, seqBase, upto, at } = await readSample(db, seed, undefined, limit);
  if (!accounts) return { isAtHead: false, fresh: [] };
  const tail = { seq: upto, sums: subtractSums(accounts.sums, open) };
  const fresh = { cycleEndedAt: null, cycleSeconds: null, rowsTotal: 0n };
  const state = {
    ...fresh,
    version,
    seed,
    seqBase,
    tail,
    comparedAt: at,
    comparedSeq: upto,
    cycle: beginCycle(tail, at),
  };
  return { isAtHead: await keepAuditState(db, state), fresh: [] };
}

async function compare(
  db: Db,
  state: AuditState,
  sample: Sample,
  accounts: NonNullable<Sample['accounts']>,
  broken: readonly Fault[],
): Promise<Tail> {
  const different = findDifferent(addSums(state.tail.sums, sample.open), accounts.sums);
  const uneven = [...accounts.balances].filter(([, balance]) => balance !== 0n);
  const found = different.length > 0 ? await name(db, state, different) : [];
  const recorded = await recordFaults(db, {
    named: [...broken, ...found],
    whole: uneven.map(([asset, balance]) => unevenSum(asset, balance)),
    isOver: ({ subject, assetId }) => subject === 'sum' && !uneven.some(([asset]) => asset === assetId),
    isFresh: true,
  });
  // Correcting a balance makes its asset differ from the sums. If a fault has disappeared without such a difference, a
  // payment was made from the account since: the fault is in the history now.
  const buried = recorded.gone.flatMap(({ assetId, accountId }) =>
    accountId !== null && !different.includes(assetId) ? [assetId] : [],
  );
  const dug = buried.length > 0 ? await recordFaults(db, { named: await name(db, state, buried) }) : recorded;
  const isAbout = (assetId: number) => (one: Fault) => one.assetId === assetId && isNamed(one);
  const isHealed = (asset: number) => !buried.includes(asset) && recorded.gone.some(isAbout(asset));
  const unclear = [...different, ...buried].filter((asset) => !dug.now.some(isAbout(asset)) && !isHealed(asset));
  const more = unclear.length > 0 ? await recordFaults(db, { whole: unclear.map(unclearHistory) }) : { fresh: [] };
  // The difference is recorded now. From here on the audit searches for further differences, and the cycle has a new
  // target.
  const rebased = { seq: state.tail.seq, sums: subtractSums(accounts.sums, sample.open) };
  const isKept = await keepAuditState(db, {
    ...state,
    ...(different.length + unclear.length > 0 && {
      tail: rebased,
      cycle: beginCycle(rebased, sample.at, unclear.length > 0),
    }),
    comparedAt: sample.at,
    comparedSeq: sample.upto,
  });
  const fresh = [...recorded.fresh, ...(dug === recorded ? [] : dug.fresh), ...more.fresh];
  return { isAtHead: isKept, fresh };
}

/** Returns the faults of these assets among the movements since the last comparison, and in all accounts. */
async function name(db: Db, { comparedSeq }: AuditState, different: readonly number[]): Promise<Fault[]> {
  const isOurs = ({ assetId }: Fault) => different.includes(assetId);
  const range = { after: comparedSeq, upto: LAST_SEQ };
  const rows = (await findRowFaults(db, range, { most: NAMED_ROWS })).filter(isOurs);
  const found = [...rows, ...(await findAccountFaults(db)).filter(isOurs)];
  if (found.length > 0) return found;
  return (await findRowFaults(db, range, { most: WALKED_ROWS, walks: true })).filter(isOurs);
}
