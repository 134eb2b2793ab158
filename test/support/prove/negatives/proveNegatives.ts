/** Runs `npm run prove -- negatives`: every case once, then several faults at a time, until the time is over. */
import { openRandom, type Random } from '../random.ts';
import { listBadValues, printObject } from './badValues.ts';
import { checkFreeTexts } from './checkFreeTexts.ts';
import { type Cast, type GoodCall, listGoodCalls } from './goodCalls.ts';
import { type Case, FREE_TEXT, listCases, makeCall } from './listCases.ts';
import { type NegativesWorld, openWorld } from './openWorld.ts';
import { runCases } from './runCases.ts';
import { runReferences } from './runReferences.ts';

interface Options {
  readonly minutes: number;
  readonly seed: number;
}

export async function openCast(world: NegativesWorld): Promise<Cast> {
  const [alice, bob, carol, leaver, roamer] = await Promise.all([
    world.join('alice'),
    world.join('bob'),
    world.join('carol'),
    world.join('leaver', '0'),
    world.join('roamer', '0'),
  ]);
  return { alice, bob, carol, leaver, roamer };
}

const ROUND = 500;

export async function proveNegatives({ minutes, seed }: Options, log: (line: string) => void) {
  const until = Date.now() + minutes * 60_000;
  const world = await openWorld();
  try {
    const cast = await openCast(world);
    const calls = await listGoodCalls(world, cast);
    const cases = calls.flatMap((good) => listCases(good, world));
    const faults: string[] = [];
    for (let at = 0; at < cases.length; at += ROUND) {
      faults.push(...(await runCases(world, cases.slice(at, at + ROUND))));
      log(`${Math.min(at + ROUND, cases.length)} of ${cases.length} cases, ${faults.length} faults found`);
    }
    faults.push(...(await checkFreeTexts(world, cast)));
    faults.push(...(await runReferences(world)).faults);
    const random = openRandom(seed);
    // Rows of a file have rules of their own, and a signed body is not read.
    const bodies = calls.filter(({ described: { body, operation } }) => {
      const { content = {}, 'x-signed': isSigned } = operation.requestBody ?? {};
      return body?.properties && !isSigned && !('text/csv' in content);
    });
    let several = 0;
    while (Date.now() < until) {
      const round = Array.from({ length: ROUND }, () => spoilSeveral(random.pick(bodies), world, random));
      faults.push(...(await runCases(world, round)));
      several += round.length;
      log(`${several} calls with several faults, ${faults.length} faults found`);
    }
    for (const fault of faults) log(`FAULT ${fault}`);
    return { prove: 'negatives', seed, operations: calls.length, cases: cases.length, several, faults: faults.length };
  } finally {
    await world.close();
  }
}

/** Two or three members of the body are wrong at the same time. */
function spoilSeveral(good: GoodCall, world: NegativesWorld, random: Random): Case {
  const { described, body = {} } = good;
  const properties = described.body?.properties ?? {};
  const texts = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, JSON.stringify(value)]));
  const fields = random.shuffle(Object.keys(properties)).slice(0, 2 + random.int(2));
  const spoilt = fields.flatMap((field) => {
    const values = listBadValues(described.document, properties[field]!, texts[field] ?? '"text"');
    const wrong = values.filter(({ refusedBy }) => refusedBy === 'schema' || !FREE_TEXT.includes(field));
    return wrong.length > 0 ? [{ field, value: random.pick(wrong) }] : [];
  });
  const members = Object.fromEntries(spoilt.map(({ field, value }) => [field, value.json]));
  return {
    operation: described.id,
    what: spoilt.map(({ field, value }) => `${field} ${value.what}`).join(', '),
    call: makeCall(good, world, { text: printObject({ ...texts, ...members }) }),
    expected: spoilt.some(({ value }) => value.refusedBy === 'schema') ? [isUnreadable(spoilt) ? 400 : 422] : 'refused',
  };
}

/** A whole number of more digits than FastAPI reads: no other fault of the body is seen. */
const isUnreadable = (spoilt: readonly { readonly value: { readonly json: string } }[]): boolean =>
  spoilt.some(({ value }) => /^-?\d{4301,}$/.test(value.json));
