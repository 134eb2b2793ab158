import { randomUUID } from 'node:crypto';
import { HOME } from '../../values.ts';
import { compareDigests, digestTables } from './digestTables.ts';
import type { GoodCall } from './goodCalls.ts';
import { makeCall } from './listCases.ts';
import type { Described } from './listOperations.ts';
import type { Member, NegativesWorld } from './openWorld.ts';
import { type Caused, refusalsOf } from './refusals.ts';
import { ask, type Said } from './runCases.ts';

/** Causes each refusal of one operation. */
export async function runRefusals(
  world: NegativesWorld,
  described: Described,
  /** A new call for each refusal, so that no earlier success interferes. */
  goodOf: () => Promise<{ readonly good: GoodCall; readonly who: Member }>,
  /** The operation that previews this one. */
  previews?: GoodCall,
): Promise<{ readonly faults: string[]; readonly caused: number }> {
  const faults: string[] = [];
  let count = 0;
  for (const { code, isStored, isPreviewed = true, cause } of refusalsOf(described)) {
    const name = `${described.id} ${code}`;
    const { good, who } = await goodOf();
    const caused = await cause(world, who);
    const key = randomUUID();
    const spoilt = spoil(good, caused, key);
    const refused = await ask(world, makeCall(spoilt, world, textOf(caused)));
    if (codeOf(refused) !== code || refused.fault)
      faults.push(`${name}: ${refused.status} ${refused.fault ?? refused.text}`);
    const previewed = previews && isPreviewed && (await findPreviewFault(world, previews, spoilt, code));
    if (previewed) faults.push(`${name}: ${previewed}`);
    await caused.undo?.();
    // If the cause is gone, the same call is repeated; if it is in the call, the correct one follows.
    const second = caused.undo ? spoilt : { ...good, headers: { ...good.headers, 'idempotency-key': key } };
    const again = await ask(world, makeCall(second, world));
    const expected = !isStored ? undefined : caused.undo ? code : 'idempotency.mismatch';
    if (codeOf(again) !== expected || again.fault)
      faults.push(`${name}, then without its cause: ${again.status} ${again.fault ?? again.text}`);
    if (isStored && caused.undo && again.headers.get('idempotency-replayed') !== 'true')
      faults.push(`${name}: the second answer does not say that it is a repetition`);
    count++;
  }
  return { faults, caused: count };
}

function spoil(good: GoodCall, { change = {} }: Caused, key: string): GoodCall {
  const known = Object.keys(good.described.body?.properties ?? {});
  const members = Object.entries(change.body ?? {}).filter(([name]) => known.includes(name));
  return {
    ...good,
    ...(good.body && { body: { ...good.body, ...Object.fromEntries(members) } }),
    params: { ...good.params, ...change.params },
    headers: { ...good.headers, 'idempotency-key': key, ...change.headers },
  };
}

const textOf = ({ change }: Caused) => (change?.text === undefined ? {} : { text: change.text });

/** The error code of an answer; undefined for a success. */
const codeOf = ({ status, text }: Said): string | undefined =>
  status === 200 ? undefined : ((JSON.parse(text) as { code?: string }).code ?? String(status));

/** Two guards for one rule: a preview is refused by the code that would refuse the payment. */
async function findPreviewFault(
  world: NegativesWorld,
  previews: GoodCall,
  { body, headers }: GoodCall,
  code: string,
): Promise<string | undefined> {
  if (!body || /^(request|idempotency|auth)\./.test(code)) return undefined;
  const { 'idempotency-key': _, ...rest } = headers;
  const known = Object.keys(previews.described.body?.properties ?? {});
  const asked = Object.fromEntries(Object.entries(body).filter(([name]) => known.includes(name)));
  const said = await ask(world, makeCall({ ...previews, body: asked, headers: rest }, world));
  return codeOf(said) === code && !said.fault
    ? undefined
    : `its preview answers ${said.status} ${said.fault ?? said.text}`;
}

/** A request for money is paid once under its own id, so no refusal may be stored. */
export async function runRequestRefusals(world: NegativesWorld, who: Member, pays: GoodCall): Promise<string[]> {
  const faults: string[] = [];
  for (const { code, cause } of refusalsOf(pays.described).filter((one) => WORLDLY.includes(one.code))) {
    const asker = await world.join(`asker_${randomUUID().slice(0, 8)}`, '0');
    const caused = await cause(world, who);
    const amount = caused.change?.body?.amount ?? 1;
    const wish = { amount, payer_username: who.username };
    const { body } = await world.call('POST', '/api/v1/requests', wish, {
      authorization: `Bearer ${asker.accessToken}`,
    });
    const call = makeCall({ ...pays, params: { request_id: body.request_id } }, world);
    const refused = await ask(world, call);
    await caused.undo?.();
    const paid = await ask(world, call);
    if (codeOf(refused) !== code || codeOf(paid) !== undefined)
      faults.push(`pay_request ${code}: ${refused.status} ${refused.text}, then ${paid.status} ${paid.text}`);
  }
  return faults;
}

const WORLDLY = ['service.paused', 'user.paused', 'kyc.required', 'limit.exceeded', 'balance.insufficient'];

/** The refusals of confirming a payout. The second call is correct, and comes after the cause is removed. */
const PAYOUT_REFUSALS: Readonly<Record<string, (world: NegativesWorld, keyId: string) => Promise<Caused> | Caused>> = {
  'payout.mismatch': () => ({ change: { body: { count: 2 } } }),
  'payout.mismatch of the total': () => ({ change: { body: { total: '1.5' } } }),
  'payout.unknown': () => ({ change: { params: { payout_id: randomUUID() } } }),
  'payout.unknown to another key': ({ keys }) => ({ change: { headers: { authorization: `Bearer ${keys.payouts}` } } }),
  'auth.scope': ({ keys }) => ({ change: { headers: { authorization: `Bearer ${keys.events}` } } }),
  'auth.invalid': () => ({ change: { headers: { authorization: 'Bearer fsk_unknown' } } }),
  'request.origin': () => ({ change: { headers: { origin: 'https://evil.example' } } }),
  'auth.invalid from another address': async (world, keyId) => {
    const from = (range: string) => world.operate('key', 'change', keyId, '--from', range, '--why', 'a test');
    await from('203.0.113.0/24');
    return { undo: () => from('any') };
  },
  'auth.invalid after its end': async (world, keyId) => {
    const expire = (day: string) => world.operate('key', 'change', keyId, '--expires', day, '--why', 'a test');
    await expire('2020-01-01');
    return { undo: () => expire('never') };
  },
};

/** A payout is confirmed once under its own id, so no refusal may be stored, and none may start it. */
export async function runPayoutRefusals(world: NegativesWorld, confirms: GoodCall): Promise<string[]> {
  const faults: string[] = [];
  for (const [what, cause] of Object.entries(PAYOUT_REFUSALS)) {
    const said = await world.operate('key', 'create', randomUUID(), '--scope', 'payouts', '--any-wallet');
    const headers = { authorization: `Bearer ${said.split('\n')[0]}` };
    const row = { reference: randomUUID(), to: 'bob', amount: '1', blockchain: HOME };
    const { body } = await world.call('POST', '/api/v1/payouts?payer=alice', { rows: [row] }, headers);
    const { payout_id, count, total } = body;
    const good: GoodCall = { ...confirms, headers, params: { payout_id }, body: { count, total } };
    const { change = {}, undo } = await cause(world, /Key (\S+)/.exec(said)![1]!);
    const before = await digestTables(world.admin);
    const refused = await ask(
      world,
      makeCall(good, world, {
        params: { ...good.params, ...change.params },
        headers: { ...headers, ...change.headers },
        body: { ...good.body, ...change.body },
      }),
    );
    const changed = compareDigests(before, await digestTables(world.admin));
    if (codeOf(refused) !== what.split(' ')[0] || refused.fault || changed.length > 0)
      faults.push(`confirm_payout ${what}: ${refused.status} ${refused.fault ?? refused.text}, changed ${changed}`);
    await undo?.();
    for (const time of ['first', 'second']) {
      const confirmed = await ask(world, makeCall(good, world));
      if (codeOf(confirmed) !== undefined || confirmed.fault)
        faults.push(`confirm_payout after ${what}, the ${time} time: ${confirmed.status} ${confirmed.text}`);
    }
  }
  return faults;
}
