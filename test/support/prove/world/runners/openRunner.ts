/** Runs seeds, in this process or in a separate one. */
import { fileURLToPath } from 'node:url';
import { forkJobs, type Runner as RunnerOf } from '../../forkJobs.ts';
import { openStage } from '../openStage.ts';
import { runSeed, type SeedResult } from '../runSeed.ts';

export type Runner = RunnerOf<number, SeedResult>;

export async function openRunner(): Promise<Runner> {
  const stage = await openStage({ primaryUrl: process.env.FLORIN_TEST_DATABASE_URL! });
  return { run: (seed) => runSeed(stage, seed), close: stage.close };
}

export const forkRunner = (): Runner => forkJobs(fileURLToPath(new URL('runnerProcess.ts', import.meta.url)));
