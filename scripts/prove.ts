/**
 * `npm run prove -- NAME [OPTIONS]`: searches for a counterexample to something that must always be true. Prints its
 * progress, every fault with the steps that reproduce it and, last, one JSON line. Fails when it finds one.
 *
 * `negatives`: a call with anything wrong in it is refused as documented, and changes nothing
 * (test/support/prove/negatives).
 *
 * `planted`: plants bugs of one or two lines (test/support/prove/planted/bugs), each alone in a copy of the repository,
 * and fails when the related tests do not notice one within three minutes. `--only NAME`: this bug; may be repeated.
 * `--resume`: continues where the last run was stopped.
 *
 * `privileges`: no database login can do more than THE TABLE says (test/support/prove/privileges/laws/theTable.ts).
 * `--mutants`: puts known faults back, one at a time, and fails when one of them is not found within a minute.
 *
 * `races`: two concurrent operations have the effect of some order of the two (test/support/prove/races/operations.ts). Ends by
 * itself, or after `--minutes N`. `--pair A,B`: one pair; `--pair A`: every pair with A. `--workers N`: processes that
 * run pairs in parallel. `--resume`: continues where the last run with this seed was stopped. `--mutants`: drops locks,
 * one at a time, and fails when no pair notices; `--only NAME`: those whose names begin with it.
 *
 * `world`: a whole service per seed, random operations and faults, judged by the model after every step
 * (test/support/prove/world). `--seeds N`: so many, from `--seed` on; without it, the one seed runs twice and both runs are
 * compared. `--twice`: so is each of many. `--workers N`: processes that run seeds in parallel. `--resume`: skips seeds
 * that were clean before.
 */
import { proveNegatives } from '../test/support/prove/negatives/proveNegatives.ts';
import { provePlanted } from '../test/support/prove/planted/provePlanted.ts';
import { provePrivileges } from '../test/support/prove/privileges/provePrivileges.ts';
import { proveRaces } from '../test/support/prove/races/proveRaces.ts';
import { proveWorld } from '../test/support/prove/world/proveWorld.ts';
import { useTestPostgres } from '../test/support/startTestPostgres.ts';
import { readCommandLine, refuse } from './readCommandLine.ts';

const PROOFS = {
  negatives: proveNegatives,
  planted: provePlanted,
  privileges: provePrivileges,
  races: proveRaces,
  world: proveWorld,
};
const NAMES = Object.keys(PROOFS);
const USAGE = `npm run prove -- ${NAMES.join('|')} [--minutes N] [--seed S] [--mutants] [--only NAME] [--resume] [--pair A,B] \
[--workers N] [--seeds N] [--twice]`;

/** Without `--minutes`; others run for five. */
const MINUTES: Partial<Record<string, number>> = {
  races: Number.POSITIVE_INFINITY,
  world: Number.POSITIVE_INFINITY,
};

const { values, words } = readCommandLine(USAGE, {
  words: NAMES,
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string', default: '1' },
    mutants: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    resume: { type: 'boolean', default: false },
    pair: { type: 'string' },
    workers: { type: 'string', default: '1' },
    seeds: { type: 'string' },
    twice: { type: 'boolean', default: false },
  },
});
const [name = ''] = words;
if (words.length !== 1) refuse(USAGE, 'name one proof');
const isCount = (number: number) => Number.isSafeInteger(number) && number > 0;
const [seed, workers] = [Number(values.seed), Number(values.workers)];
const minutes = Number(values.minutes ?? MINUTES[name] ?? 5);
const seeds = values.seeds === undefined ? undefined : Number(values.seeds);
if (!(minutes > 0)) refuse(USAGE, '--minutes is a number above 0');
if (!Number.isSafeInteger(seed)) refuse(USAGE, '--seed is a whole number');
if (seeds !== undefined && !isCount(seeds)) refuse(USAGE, '--seeds is a whole number above 0');
if (!isCount(workers)) refuse(USAGE, '--workers is a whole number above 0');

const prove = PROOFS[name as keyof typeof PROOFS];
const options = { ...values, minutes, seed, seeds, workers };
const { stop } = await useTestPostgres();
try {
  const { faults, ...result } = await prove(options, (line) => console.log(line));
  console.log(JSON.stringify({ ...result, faults }));
  if (faults > 0) process.exitCode = 1;
} finally {
  await stop();
}
