import { openDatabase } from '../../../server/src/db/database.ts';
import type { SetUp } from '../circle/sendingWorld.ts';
import { goOn, importMoves, look, restoreUnder, type Scene, type ServersWere, startScene } from './scene.ts';
import type { Way } from './ways.ts';

/** What happens in a service, step by step. A backup is taken between any two steps, and restored after the last. */
export interface Story {
  readonly name: string;
  begin(scene: Scene): Promise<Course>;
}

interface Course {
  readonly steps: readonly (readonly [name: string, run: () => Promise<unknown>])[];
  /** What clients and operators do again after a restore: the same calls, under the same keys. */
  repeat(): Promise<unknown>;
  /** What an operator says about moves between wallets of ours that only a person can tell; unless told, payments. */
  readonly movesAre?: 'settlements';
  /** What must not work between the restore and an operator's word. Answers what did. */
  tryForbidden?(): Promise<string[]>;
  /** What is true in the end, whenever the backup was taken. Answers what is not. */
  check(): Promise<string[]>;
}

interface Run {
  readonly story: Story;
  /** Steps before the backup. */
  readonly backUpAfter: number;
  readonly way: Way;
  readonly servers: ServersWere;
  /** Who holds the keys of people's wallets; unless told, we do. */
  readonly kind?: SetUp;
}

export const listSteps = async (story: Story): Promise<string[]> => {
  const scene = await startScene();
  try {
    return (await story.begin(scene)).steps.map(([name]) => name);
  } finally {
    await scene.stop();
  }
};

/** Answers everything that is wrong after the documented steps. */
export async function runStory({ story, backUpAfter, way, servers, kind }: Run): Promise<string[]> {
  const scene = await startScene(kind);
  const { world } = scene;
  try {
    const course = await story.begin(scene);
    for (const [, step] of course.steps.slice(0, backUpAfter)) await step();
    const restore = await backUp(scene, way);
    for (const [, step] of course.steps.slice(backUpAfter)) await step();
    await restoreUnder(scene, servers, restore);
    // Workers that were left running do their jobs before anybody has said or seen that there was a restore.
    if (servers === 'left running') await world.work();
    await look(scene);
    const faults = (await course.tryForbidden?.()) ?? [];
    // Whoever is first, the operator or the client: it is the same payment.
    if (backUpAfter % 2 === 1) await importMoves(scene, course.movesAre);
    await course.repeat();
    await importMoves(scene, course.movesAre);
    await goOn(scene);
    await course.repeat();
    await world.settleDown();
    const left = await world.db.query<{ reason: string }>(`SELECT reason FROM pauses WHERE cause <> 'operator'`);
    return [
      ...faults,
      ...left.map(({ reason }) => `paused: ${reason}`),
      ...(await world.faults()),
      ...(await course.check()),
    ];
  } finally {
    // If the story broke off, what it broke off with matters, and not what can no longer be closed.
    await scene.stop().catch(() => {});
  }
}

async function backUp(scene: Scene, way: Way): Promise<() => Promise<void>> {
  const { world } = scene;
  if (!way.needsSilence) return way.backUp(world.databaseUrl);
  await scene.closeServers();
  await world.db.close();
  const restore = await way.backUp(world.databaseUrl);
  world.db = openDatabase(world.databaseUrl);
  scene.openServers();
  return restore;
}
