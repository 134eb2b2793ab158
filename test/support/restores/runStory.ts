import { followLedger } from '../../../server/src/custody/coins/keptPositions.ts';
import { judgeEnd } from '../properties/judgeEnd.ts';
import { listContradictions } from '../properties/listContradictions.ts';
import { listUnended } from '../properties/listUnended.ts';
import { type Scene, startScene } from './scene.ts';
import { type ServersWere, type Stage, sayRestored, type WalletSetup } from './stage.ts';
import { startUnwatchedStage } from './unwatchedStage.ts';
import type { Way } from './ways.ts';

/**
 * A story of a service, step by step. A backup is taken between two steps and restored after the last one. A story that
 * uses only what every `Stage` has can run in every place; one that needs a `Scene` runs on watched chains.
 */
export interface Story<S extends Stage = Scene> {
  readonly name: string;
  /** Where it runs; by default on every watched chain. */
  readonly places?: readonly WalletSetup[];
  begin(stage: S): Promise<Course>;
}

interface Course {
  readonly steps: readonly (readonly [name: string, run: () => Promise<unknown>])[];
  /** The calls that clients and operators repeat after a restore, under the same keys. */
  repeat(): Promise<unknown>;
  /**
   * Hours that must pass: what was accepted before a restore may have been signed, and ends when no signature is valid.
   */
  readonly hoursToEnd?: number;
  /** How an operator classifies moves between our wallets that only a person can explain; by default, as payments. */
  readonly movesAre?: 'settlements';
  /** Tries calls that must fail between the restore and an operator's confirmation. Returns those that succeeded. */
  tryForbidden?(): Promise<string[]>;
  /** Checks the end state, which must not depend on the time of the backup. Returns the faults. */
  check(): Promise<string[]>;
}

interface Run {
  readonly story: Story;
  /** Steps before the backup. */
  readonly backUpAfter: number;
  readonly way: Way;
  readonly servers: ServersWere;
  /** The holder of the keys of people's wallets; by default, we hold them. */
  readonly kind?: WalletSetup;
}

const startStage = (place: WalletSetup): Promise<Stage> =>
  place === 'Solana' || place === 'Aptos' ? startUnwatchedStage(place) : startScene(place);

/** A story names the places where it can run, so a stage has what its story needs. */
const beginStory = (story: Story, stage: Stage): Promise<Course> => story.begin(stage as Scene);

export const listSteps = async (
  story: Story,
  place: WalletSetup = story.places?.[0] ?? 'own keys',
): Promise<string[]> => {
  const stage = await startStage(place);
  try {
    return (await beginStory(story, stage)).steps.map(([name]) => name);
  } finally {
    await stage.stop();
  }
};

/** The result of `runStory`; a story that throws is wrong too. */
export const tryStory = (run: Run): Promise<string[]> =>
  runStory(run).catch((error: Error) => [error.stack ?? error.message]);

/** Returns everything that is wrong after the documented steps. */
export async function runStory({ story, backUpAfter, way, servers, kind = 'own keys' }: Run): Promise<string[]> {
  const stage = await startStage(kind);
  try {
    const course = await beginStory(story, stage);
    for (const [, step] of course.steps.slice(0, backUpAfter)) await step();
    // The worker does it every few seconds.
    await followLedger(stage.db);
    const restore = await backUp(stage, way);
    for (const [, step] of course.steps.slice(backUpAfter)) await step();
    await restoreUnder(stage, servers, restore);
    // Workers that were left running do their jobs before any process or person has noticed the restore.
    if (servers === 'left running') {
      await stage.work();
      await followLedger(stage.db);
    }
    await stage.poll();
    const faults = (await course.tryForbidden?.()) ?? [];
    if (servers === 'left running') await sayRestored(stage.db);
    // The operator or the client may come first: it is the same payment.
    if (backUpAfter % 2 === 1) await stage.importMoves(course.movesAre);
    await course.repeat();
    await stage.importMoves(course.movesAre);
    await stage.goOn();
    await course.repeat();
    if (course.hoursToEnd) await stage.age(course.hoursToEnd);
    await stage.settleDown();
    const { db, databaseUrl } = stage;
    const ends = await judgeEnd({ db, databaseUrl, work: () => stage.work(), mine: () => stage.step() });
    return [...faults, ...ends, ...(await findUnfinished(stage)), ...(await stage.faults()), ...(await course.check())];
  } finally {
    // If the story threw, its own error matters, and not what can no longer be closed.
    await stage.stop().catch(() => {});
  }
}

/**
 * Everything has ended: no payment or move is open, no money is held, nothing is paused, unexplained or contradictory.
 */
export async function findUnfinished({ db }: Pick<Stage, 'db'>): Promise<string[]> {
  const rows = await db.query<{ fault: string }>(
    `SELECT 'paused: ' || reason AS fault FROM pauses WHERE cause <> 'operator'
     UNION ALL SELECT format('account %s (%s) holds %s', account_id, kind, held) FROM accounts WHERE held <> 0
     UNION ALL SELECT format('wallet %s reserves %s', wallet_id, reserved) FROM holdings WHERE reserved <> 0`,
  );
  const found = [...(await listUnended(db)), ...(await listContradictions(db))];
  return [...rows.map(({ fault }) => fault), ...found.map(({ says }) => says)];
}

/** Restores the backup, under running servers or while they are stopped. */
async function restoreUnder(stage: Stage, servers: ServersWere, restore: () => Promise<void>): Promise<void> {
  if (servers === 'left running') return restore();
  await stage.closeServers();
  await restore();
  await stage.openServers({ isRestored: true });
}

async function backUp(stage: Stage, way: Way): Promise<() => Promise<void>> {
  if (!way.needsSilence) return way.backUp(stage.databaseUrl);
  await stage.closeServers();
  const restore = await way.backUp(stage.databaseUrl);
  await stage.openServers();
  return restore;
}
