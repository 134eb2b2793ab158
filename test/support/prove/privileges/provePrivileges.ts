/** Runs `npm run prove -- privileges`. */
import { findBlockingLocks } from './findBlockingLocks.ts';
import { huntMutants } from './mutants.ts';
import { openWorlds } from './openWorlds.ts';
import { type Fault, type Proof, runPrivileges } from './runPrivileges.ts';
import type { Variant } from './state.ts';

interface Options {
  readonly minutes: number;
  readonly seed: number;
  readonly mutants: boolean;
}

type Log = (line: string) => void;

const MUTANT_SECONDS = 60;

export const renderFault = ({ actor, variant, law, what, sql, isAlone }: Fault): string =>
  `FAULT (${variant} database, law of ${law}): ${actor}: ${what}${isAlone ? '' : ' (only after earlier calls of this seed)'}\n${sql};`;

export async function provePrivileges({ minutes, seed, mutants }: Options, log: Log) {
  if (mutants) return proveMutants(seed, log);
  const proofs: Proof[] = [];
  const faults: Fault[] = [];
  for (const variant of ['finished', 'unfinished'] as const) {
    const proof = await proveVariant(variant, seed, minutes / 2, log);
    proofs.push(proof);
    faults.push(...proof.faults);
  }
  const sum = (of: (proof: Proof) => number) => proofs.reduce((total, proof) => total + of(proof), 0);
  const most = (of: (proof: Proof) => number) => Math.max(...proofs.map(of));
  return {
    prove: 'privileges',
    seed,
    calls: sum(({ calls }) => calls),
    functions: most(({ functions }) => functions),
    functions_covered: most(({ covered }) => covered),
    tables: most(({ tables }) => tables),
    accepted: sum(({ accepted }) => accepted),
    faults: faults.length,
  };
}

async function proveVariant(variant: Variant, seed: number, minutes: number, log: Log): Promise<Proof> {
  const worlds = await openWorlds(variant);
  try {
    const started = Date.now();
    const locks = await findBlockingLocks(worlds, seed);
    for (const fault of locks) log(renderFault(fault));
    const proof = await runPrivileges(worlds, {
      seed,
      goesOn: () => Date.now() - started < minutes * 60_000,
      onFault: (fault) => log(renderFault(fault)),
      onProgress: (calls, accepted) => log(`${variant}: ${calls} calls, ${accepted} accepted`),
    });
    const rate = Math.round(proof.calls / ((Date.now() - started) / 1_000));
    log(`${variant}: ${proof.calls} calls (${rate} a second), ${proof.accepted} accepted`);
    log(
      `${variant}: ${proof.covered} of ${proof.functions} functions covered; not: ${proof.uncovered.join(' ') || 'none'}`,
    );
    log(`${variant}: no template: ${proof.withoutTemplate.join(' ')}`);
    return { ...proof, faults: [...locks, ...proof.faults] };
  } finally {
    await worlds.drop();
  }
}

async function proveMutants(seed: number, log: Log) {
  let [all, caught] = [0, 0];
  for await (const { name, caught: fault, calls, seconds } of huntMutants(seed, MUTANT_SECONDS)) {
    all++;
    if (fault) caught++;
    log(
      `${fault ? 'caught' : 'MISSED'}  ${name.padEnd(20)} after ${calls} calls, ${seconds.toFixed(1)} s${fault ? `: ${fault.what}` : ''}`,
    );
  }
  return { prove: 'privileges', seed, mutants: all, caught, faults: all - caught };
}
