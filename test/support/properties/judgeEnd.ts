/**
 * The checks at the end of every story: everything has ended (property a), every balance is explained (property b), and
 * no table contradicts another (property c).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, openDatabase, type Queryable } from '../../../server/src/db/database.ts';
import { type ExplainOptions, explainBalances } from './explainBalances.ts';
import { listContradictions } from './listContradictions.ts';
import { type EndOptions, waitUntilEnded } from './waitUntilEnded.ts';

type Options = EndOptions & ExplainOptions;

/** A world whose workers run a pass on demand. */
interface SteppedWorld {
  readonly db: Db;
  readonly databaseUrl: string;
  work(): Promise<void>;
  mine(): Promise<void>;
}

/** Returns the faults at the end. Any entry is a bug. */
export async function judgeEnd(world: SteppedWorld, options: Options = {}): Promise<string[]> {
  const step = async () => {
    await world.mine();
    await world.work();
  };
  return judgeAll({ db: world.db, databaseUrl: world.databaseUrl, step }, options);
}

const PAUSE_MS = 200;
/** Worker processes take their time, on a slow machine even more. */
const STEPS = 600;

interface RunningWorld {
  /** A login that may read everything. */
  readonly databaseUrl: string;
  /** For chains whose blocks are mined on demand. */
  mine?(): Promise<unknown>;
}

/** The same for processes that work by themselves. */
export async function judgeEndOf(world: RunningWorld, options: Options = {}): Promise<string[]> {
  const db = openDatabase(world.databaseUrl, {
    maxConnections: 2,
    connectTimeoutMs: 60_000,
    statementTimeoutMs: 60_000,
  });
  const step = async () => {
    await world.mine?.();
    await sleep(PAUSE_MS);
  };
  try {
    return await judgeAll({ db, databaseUrl: world.databaseUrl, step }, { steps: STEPS, ...options });
  } finally {
    await db.close();
  }
}

async function judgeAll(
  { db, databaseUrl, step }: { readonly db: Queryable; readonly databaseUrl: string; step(): Promise<void> },
  options: Options,
): Promise<string[]> {
  const unended = await waitUntilEnded({ db, step }, options);
  const unexplained = await explainBalances({ db, databaseUrl }, options);
  const contradictions = (await listContradictions(db)).filter(({ id }) => !options.leaves?.includes(id));
  return [...unended, ...unexplained, ...contradictions.map(({ says }) => says)];
}
