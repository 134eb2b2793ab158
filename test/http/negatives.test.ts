/**
 * Invalid calls, derived from the OpenAPI documents: see test/support/prove/negatives. `npm run prove -- negatives`
 * continues with several faults at a time.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bearer } from '../support/http/answer.ts';
import { checkFreeTexts } from '../support/prove/negatives/checkFreeTexts.ts';
import { type Cast, type GoodCall, listGoodCalls, PAYEE } from '../support/prove/negatives/goodCalls.ts';
import { listCases, makeCall } from '../support/prove/negatives/listCases.ts';
import { type Member, type NegativesWorld, openWorld } from '../support/prove/negatives/openWorld.ts';
import { openCast } from '../support/prove/negatives/proveNegatives.ts';
import { findMissing } from '../support/prove/negatives/refusals.ts';
import { runAccountKeys } from '../support/prove/negatives/runAccountKeys.ts';
import { ask, runCases } from '../support/prove/negatives/runCases.ts';
import { isKeyed, type KeyedRun, runKeyed } from '../support/prove/negatives/runKeyed.ts';
import { runReferences } from '../support/prove/negatives/runReferences.ts';
import { runPayoutRefusals, runRefusals, runRequestRefusals } from '../support/prove/negatives/runRefusals.ts';
import { runScopes } from '../support/prove/negatives/runScopes.ts';
import { howMany, isThorough, onePart } from '../support/run/thorough.ts';

/** The number of cases that the documents give today. A lower number means lost coverage. */
const MINIMUM = {
  cases: 1_700,
  mismatches: 68,
  spellings: 142,
  refusals: 79,
  scopes: 105,
  references: 24,
  accountKeys: 220,
};

const FIRST = ['refused', 'accepted'] as const;

let world: NegativesWorld;
let cast: Cast;
let calls: GoodCall[];
beforeAll(async () => {
  world = await openWorld();
  cast = await openCast(world);
  calls = await listGoodCalls(world, cast);
});
afterAll(() => world?.close());

it('an account key of any scope does nothing to another account', async () => {
  const { faults, tried } = await runAccountKeys(world, cast, await world.join(newName(), '100'), calls);
  expect(faults).toEqual([]);
  expect(tried).toBeGreaterThanOrEqual(MINIMUM.accountKeys);
});

it('refuses every invalid field, parameter and header as documented, and changes nothing', async () => {
  const cases = calls.flatMap((good) => listCases(good, world));
  expect(await runCases(world, onePart(cases, 4))).toEqual([]);
  expect(cases.length).toBeGreaterThanOrEqual(MINIMUM.cases);
});

it('refuses a key with another request, and repeats the first answer for the same request in another spelling', async () => {
  const runs: KeyedRun[] = [];
  for (const [nth, good] of calls.filter(isKeyed).entries())
    for (const first of FIRST.filter((_, i) => isThorough || i === nth % 2))
      runs.push(await runKeyed(world, cast, await prepareKeyed(good), first));
  expect(runs.flatMap(({ faults }) => faults)).toEqual([]);
  const sum = (of: (run: KeyedRun) => number) => runs.reduce((total, run) => total + of(run), 0);
  expect(sum(({ mismatches }) => mismatches)).toBeGreaterThanOrEqual(howMany(0.4, 1) * MINIMUM.mismatches);
  expect(sum(({ spellings }) => spellings)).toBeGreaterThanOrEqual(howMany(0.4, 1) * MINIMUM.spellings);
});

/** A person who was just renamed cannot be renamed again, and a payment is cancelled once. */
async function prepareKeyed(good: GoodCall): Promise<GoodCall> {
  if ('transaction_id' in good.params) return callAs(good, cast.alice);
  if (good.described.id !== 'set_username') return good;
  const { accessToken, userId } = cast.carol;
  return { ...good, headers: bearer(accessToken), body: { user_id: userId, username: 'carol_two' } };
}

it('fails every other row under a reference that was paid, and pays the rest of its file', async () => {
  const { faults, pairs } = await runReferences(world);
  expect(faults).toEqual([]);
  expect(pairs).toBeGreaterThanOrEqual(MINIMUM.references);
});

it('a refusal that is not stored leaves the key free, a stored one stays, and previews agree', async () => {
  const keyed = calls.filter(isKeyed);
  const find = (id: string) => calls.find(({ described }) => described.id === id)!;
  const faults: string[] = [];
  let caused = 0;
  for (const given of onePart(keyed, 2)) {
    const { described } = given;
    const payer = await world.join(newName(), '2000');
    const previews = ['send_usdc', 'send_to_address'].includes(described.id) ? find('preview_payment') : undefined;
    const goodOf = async () => {
      const who = described.id === 'set_username' ? await world.join(newName(), '0') : payer;
      return { who, good: await callAs(given, who) };
    };
    const ran = await runRefusals(world, described, goodOf, previews);
    faults.push(...ran.faults);
    caused += ran.caused;
  }
  const payer = await world.join(newName(), '2000');
  faults.push(...(await runRequestRefusals(world, payer, await callAs(find('pay_request'), payer))));
  faults.push(...(await runPayoutRefusals(world, find('confirm_payout'))));
  expect(faults).toEqual([]);
  expect(keyed.flatMap(({ described }) => findMissing(described))).toEqual([]);
  expect(caused).toBeGreaterThanOrEqual(howMany(0.3, 1) * MINIMUM.refusals);
});

it('a key can do what its scope allows, and nothing else', async () => {
  const { faults, tried } = await runScopes(world, calls);
  expect(faults).toEqual([]);
  expect(tried).toBeGreaterThanOrEqual(MINIMUM.scopes);
});

let names = 0;
/** Names without digits, some of which look alike. */
const newName = () => `person_${[...String(++names)].map((digit) => 'abcdefghjk'[Number(digit)]).join('')}`;

/** The same call by another caller, about a new object. */
async function callAs(good: GoodCall, who: Member): Promise<GoodCall> {
  const { described, body, params } = good;
  const own = bearer(who.accessToken);
  const send = { amount: 1, destination_address: PAYEE };
  const sent = 'transaction_id' in params ? await world.call('POST', '/api/v1/send_to_address', send, own) : undefined;
  const changes: Record<string, unknown> = {
    user_id: who.userId,
    username: newName(),
    sender_user_id: who.userId,
    wallet_username: who.username,
    // A person may send another person only so many requests.
    payer_username: ['alice', 'bob', 'carol'][names++ % 3],
  };
  return {
    ...good,
    headers: { ...good.headers, ...(described.caller === 'person' && own) },
    params: { ...params, ...(sent && { transaction_id: sent.body.transaction_id }) },
    body: body && Object.fromEntries(Object.entries(body).map(([name, value]) => [name, changes[name] ?? value])),
  };
}

it('free texts come back unchanged from every call that shows them, or are refused', async () => {
  expect(await checkFreeTexts(world, cast)).toEqual([]);
});

it('the calls are valid before they are spoilt', async () => {
  const order = (good: GoodCall) =>
    ['remove_passkey', 'revoke_session', 'cancel_payout', 'remove_webhook', 'close_account'].indexOf(good.described.id);
  const refused: string[] = [];
  for (const good of calls.toSorted((a, b) => order(a) - order(b))) {
    if (good.described.operation.requestBody?.['x-signed']) continue;
    const { status, text, fault } = await ask(world, makeCall(good, world));
    if (status !== 200 || fault) refused.push(`${good.described.id}: ${status} ${text.slice(0, 200)} ${fault ?? ''}`);
  }
  expect(refused).toEqual([]);
});
