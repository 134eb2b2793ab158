/** A valid call of every operation, made from its document and from this world's values by field name. */
import { randomUUID } from 'node:crypto';
import { HOME } from '../../values.ts';
import { givePasskeys } from './givePasskeys.ts';
import { type Described, listOperations } from './listOperations.ts';
import type { Member, NegativesWorld } from './openWorld.ts';

export interface GoodCall {
  readonly described: Described;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Alice, except for calls that end all sessions of their caller. */
const callerOf = (id: string, { alice, leaver, roamer }: Cast): Member =>
  ({ close_account: leaver, end_all_sessions: roamer })[id] ?? alice;

/** No one else has this address. */
export const PAYEE = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

type Values = Readonly<Record<string, unknown>>;
/**
 * Values by the name of a field or parameter; an entry `operation.name` takes precedence. `undefined` leaves the field
 * out.
 */
type Given = Readonly<Record<string, unknown>>;

export interface Cast {
  readonly alice: Member;
  readonly bob: Member;
  readonly carol: Member;
  /** Closes their account. */
  readonly leaver: Member;
  /** Ends all their sessions. */
  readonly roamer: Member;
}

export async function listGoodCalls(world: NegativesWorld, cast: Cast): Promise<GoodCall[]> {
  const given = await prepare(world, cast);
  return listOperations().map((described) => ({
    described,
    params: pickTexts(described, 'path', given),
    query: pickTexts(described, 'query', given),
    headers: {
      ...authorizationOf(described, world, callerOf(described.id, cast)),
      ...pickTexts(described, 'header', given),
    },
    body: describeBody(described, given),
  }));
}

function authorizationOf(
  { caller, path, api }: Described,
  world: NegativesWorld,
  person: Member,
): Record<string, string> {
  if (caller === 'anyone') return {};
  if (caller === 'person') return { authorization: `Bearer ${person.accessToken}` };
  const key = api === 'web3' ? 'send' : path.startsWith('/api/v1/payouts') ? 'payouts' : 'webhooks';
  return { authorization: `Bearer ${world.keys[key]}` };
}

function pickTexts(described: Described, place: string, given: Given): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const { name, in: where, required, example } of described.operation.parameters ?? []) {
    if (where !== place || name === 'Idempotency-Key') continue;
    const value = find(described, name, given, required ? example : undefined);
    if (value !== undefined) picked[name] = String(value);
    else if (required) throw new Error(`say in goodCalls.ts what ${name} of ${described.id} is`);
  }
  return picked;
}

const find = ({ id }: Described, name: string, given: Given, otherwise: unknown): unknown =>
  [`${id}.${name}`, name].find((one) => one in given) === undefined
    ? otherwise
    : given[`${id}.${name}` in given ? `${id}.${name}` : name];

function describeBody(described: Described, given: Given): Values | undefined {
  const { body, operation } = described;
  if (!body) return undefined;
  const [example] = Object.values(operation.requestBody?.content['application/json']?.examples ?? {});
  const shown = (example?.value ?? {}) as Values;
  const names = Object.keys(body.properties ?? {});
  return Object.fromEntries(
    names.map((name) => [name, find(described, name, given, shown[name])]).filter(([, value]) => value !== undefined),
  );
}

/** The objects that the calls refer to: open payments, requests, payouts and webhooks. */
async function prepare(world: NegativesWorld, { alice, bob, leaver }: Cast): Promise<Given> {
  const as = (who: Member) => ({ authorization: `Bearer ${who.accessToken}` });
  const ask = async (who: Member, payer?: string) =>
    (await must(world, 'POST', '/api/v1/requests', { amount: 1, payer_username: payer }, as(who))).request_id;
  const sent = await must(
    world,
    'POST',
    '/api/v1/send_to_address',
    { amount: 1, destination_address: PAYEE },
    as(alice),
  );
  const service = { authorization: `Bearer ${world.keys.webhooks}` };
  const hook = { url: 'http://127.0.0.1:1/hook', types: ['payment.*'] };
  const webhook = await must(world, 'POST', '/api/v1/webhooks', hook, service);
  const tested = await must(world, 'POST', `/api/v1/webhooks/${webhook.webhook_id}/test`, undefined, service);
  const file = () => ({ rows: [{ reference: randomUUID(), to: 'bob', amount: '1', blockchain: HOME, note: 'n' }] });
  const pays = { authorization: `Bearer ${world.keys.payouts}` };
  const [payout, other] = [
    await must(world, 'POST', '/api/v1/payouts?payer=alice', file(), pays),
    await must(world, 'POST', '/api/v1/payouts?payer=alice', file(), pays),
  ];
  const { body: login } = await world.florin.logIn(alice.email);
  const key = await must(world, 'POST', '/api/v1/keys', { name: 'Shop', scopes: ['read'] }, as(alice));
  const { sessions } = await must(world, 'GET', '/api/v1/sessions', undefined, {
    authorization: `Bearer ${login.access_token}`,
  });
  await must(world, 'PATCH', '/api/v1/me', { discoverable: true }, as(bob));
  return {
    ...(await givePasskeys(world, alice)),
    id_token: await world.idToken('newcomer@example.com'),
    refresh_token: login.refresh_token,
    user_id: alice.userId,
    sender_user_id: alice.userId,
    username: alice.username,
    'set_username.username': 'alice_two',
    'check_username.username': 'free_name',
    'find_public_name.username': bob.username,
    receiver_username: bob.username,
    payer_username: bob.username,
    wallet_username: alice.username,
    funding_wallet_id: undefined,
    destination_address: PAYEE,
    'preview_payment.receiver_username': undefined,
    address: alice.address,
    amount: 1.5,
    blockchain: HOME,
    note: 'Dinner',
    payment_note: 'Dinner',
    expires_at: inHours(24),
    email: alice.email,
    session_id: sessions.find((one: { current: boolean }) => one.current).session_id,
    transaction_id: sent.transaction_id,
    request_id: await ask(alice, bob.username),
    'find_public_request.request_id': await ask(bob),
    'pay_request.request_id': await ask(bob, alice.username),
    'decline_request.request_id': await ask(bob, alice.username),
    payer: alice.username,
    payout_id: payout.payout_id,
    'cancel_payout.payout_id': other.payout_id,
    rows: file().rows,
    count: payout.count,
    total: payout.total,
    webhook_id: webhook.webhook_id,
    event_id: tested.event_id,
    url: hook.url,
    types: hook.types,
    order: 'any',
    description: 'The shop',
    'change_webhook.state': 'on',
    former_ends_at: inHours(1),
    since: inHours(-48),
    until: inHours(-24),
    cursor: undefined,
    'close_account.user_id': leaver.userId,
    key_id: key.key_id,
    'create_account_key.name': 'Shop',
    'create_account_key.scopes': ['pay'],
    payment_limit: 5,
    day_limit: 50,
    month_limit: 500,
    addresses: ['203.0.113.0/24'],
  };
}

async function must(world: NegativesWorld, ...asked: Parameters<NegativesWorld['call']>) {
  const { status, body } = await world.call(...asked);
  if (status !== 200) throw new Error(`${asked[0]} ${asked[1]} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}
