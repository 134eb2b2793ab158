/** Runs seeds: in this process, or in one of its own. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openStage } from '../openStage.ts';
import { runSeed, type SeedResult } from '../runSeed.ts';

export interface Runner {
  run(seed: number): Promise<SeedResult>;
  close(): Promise<void>;
}

export async function openRunner(): Promise<Runner> {
  const stage = await openStage();
  return { run: (seed) => runSeed(stage, seed), close: stage.close };
}

/** A process with its own databases in the PostgreSQL of this one. */
export function forkRunner(): Runner {
  const child = fork(fileURLToPath(new URL('runnerProcess.ts', import.meta.url)));
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  return {
    run: (seed) =>
      new Promise((done, fail) => {
        const onExit = (code: number | null) => fail(new Error(`the process of seed ${seed} ended with ${code}`));
        child.once('exit', onExit);
        child.once('message', (result) => {
          child.off('exit', onExit);
          done(result as SeedResult);
        });
        child.send(seed);
      }),
    async close() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
