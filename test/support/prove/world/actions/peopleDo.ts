/** Actions of people through the public interface. */
import { parseUnits } from 'viem';
import { HOME } from '../../../values.ts';
import { hasSession } from '../../model/names.ts';
import { isImported } from '../../model/restores.ts';
import {
  type Action,
  AMOUNTS,
  type Context,
  type Draw,
  drawSession,
  PEOPLE,
  type PersonName,
  usdcNumber,
} from '../context.ts';

const NAMES = [...PEOPLE, 'nova', 'mira', 'odin'] as const;
/** Addresses that belong to no person of the world. */
export const DESTINATIONS = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`);

const openPeople = ({ state }: Context) => PEOPLE.filter((who) => !state.people[who]!.closed);

const drawName = ({ random, state }: Context): string =>
  random.chance(0.8) ? (state.people[random.pick(PEOPLE)]!.name ?? 'odin') : random.pick(NAMES);

export const pay: Draw = (context) =>
  payTo(context, context.random.pick(PEOPLE), drawName(context), context.random.pick(AMOUNTS));

/** As much as one payment may have. */
export function payAll(context: Context, by: PersonName): Action | undefined {
  const to = openPeople(context).find((who) => who !== by && context.state.people[who]!.name !== null);
  const { available } = context.state.people[by]!;
  return to && payTo(context, by, context.state.people[to]!.name!, available < 60_000_000n ? available : 60_000_000n);
}

function payTo(context: Context, by: PersonName, to: string, amount: bigint): Action {
  const { world, next } = context;
  const id = next('pay');
  const { session, as, headers } = drawSession(context, by);
  const body = { sender_user_id: world.names.id(by), receiver_username: to, amount: usdcNumber(amount) };
  return {
    name: 'pay',
    text: `${by} pays ${to} ${usdcNumber(amount)}`,
    as,
    call: { do: 'pay', id, by, to, amount, session },
    creates: { transfers: id, refusals: id },
    http: { method: 'POST', path: '/api/v1/send_usdc', body, headers: { ...headers, 'idempotency-key': id } },
    isRepeatable: true,
  };
}

const send: Draw = (context) => sendFrom(context, context.random.pick(PEOPLE), context.random.pick(AMOUNTS));

/** A send that nothing stops: not even an approval is needed. */
export const sendFreely: Draw = (context) => {
  const { approvalThreshold } = context.world.setting;
  const amount = context.random.pick(
    AMOUNTS.filter((one) => one <= 60_000_000n && neededFor(approvalThreshold, one) === 0),
  );
  const able = PEOPLE.filter((who) => {
    const { available, paused, kyc, sessions } = context.state.people[who]!;
    return available >= amount && !paused && kyc === 'approved' && sessions.length > 0;
  });
  return able.length > 0 ? sendFrom(context, context.random.pick(able), amount) : undefined;
};

function sendFrom(context: Context, by: PersonName, amount: bigint): Action {
  const { random, world, next } = context;
  const id = next('send');
  const { session, as, headers } = drawSession(context, by);
  const destination_address = random.pick(DESTINATIONS);
  const { approvalThreshold } = world.setting;
  return {
    name: 'send',
    text: `${by} sends ${usdcNumber(amount)} to ${destination_address.slice(0, 4)}…`,
    as,
    call: { do: 'send', id, by, amount, session, needed: neededFor(approvalThreshold, amount) },
    creates: { sends: id, refusals: id },
    http: {
      method: 'POST',
      path: '/api/v1/send_to_address',
      body: { destination_address, amount: usdcNumber(amount) },
      headers: { ...headers, 'idempotency-key': id },
    },
    isRepeatable: true,
  };
}

/** Another service sends a person's money, with its key. */
const sendWithKey: Draw = (context) => {
  const { random, state, world, next, secrets } = context;
  const keys = [...secrets].filter(([name]) => name.startsWith('key'));
  if (keys.length === 0) return undefined;
  const [key, secret] = random.pick(keys);
  const by = random.pick(openPeople(context));
  const wallet_username = state.people[by]?.name;
  if (!wallet_username) return undefined;
  const [amount, id, destination_address] = [random.pick(AMOUNTS), next('send'), random.pick(DESTINATIONS)];
  return {
    name: 'send with a key',
    text: `${key} sends ${usdcNumber(amount)} of ${by} to ${destination_address.slice(0, 4)}…`,
    call: { do: 'send', id, by, amount, key, needed: neededFor(world.setting.approvalThreshold, amount) },
    creates: { sends: id, refusals: id },
    http: {
      method: 'POST',
      path: '/wallet/send-usdc',
      body: { destination_address, amount: usdcNumber(amount), blockchain: HOME, wallet_username },
      headers: { authorization: `Bearer ${secret}`, 'idempotency-key': id },
    },
    isRepeatable: true,
  };
};

/** A client repeats a send that a restore has lost, whether or not an operator has imported it. */
export const repeatLost: Draw = (context) => {
  const { random, secrets, sent, state } = context;
  const lost = (state.restored?.lost ?? []).flatMap((id) => {
    const action = sent.get(id);
    return action?.call?.do === 'send' && !state.sends[id] ? [{ action, call: action.call }] : [];
  });
  const imported = lost.filter(({ call }) => isImported(state, call.by, call.amount));
  const hasImport = imported.length > 0 && random.chance(0.8);
  const name = hasImport ? 'repeat imported send' : 'repeat lost send';
  const { action, call } = random.pick(hasImport ? imported : lost) ?? {};
  if (!action || !call || state.people[call.by]!.closed) return undefined;
  const text = `again, after the restore: ${action.text}`;
  if (call.key !== undefined) return secrets.has(call.key) ? { ...action, name, text } : undefined;
  const { session, as, headers } = drawSession(context, call.by as PersonName);
  return {
    ...action,
    name,
    text,
    as,
    call: { ...call, session },
    http: { ...action.http!, headers: { ...action.http!.headers, ...headers } },
  };
};

export const neededFor = (threshold: bigint | undefined, amount: bigint): number =>
  threshold !== undefined && amount >= threshold ? 2 : 0;

/** The payer cancels a send, or a stranger tries to. */
const cancel: Draw = (context) => {
  const { random, state, world, next } = context;
  const all = Object.entries(state.sends);
  if (all.length === 0) return undefined;
  const open = all.filter(([, send]) => send.ended === null);
  const [payment, { payer }] = random.pick(open.length > 0 && random.chance(0.8) ? open : all);
  const by = random.chance(0.85) ? payer : random.pick(PEOPLE);
  if (state.people[by]!.closed || state.people[by]!.sessions.length === 0) return undefined;
  const { session, as, headers } = drawSession(context, by as (typeof PEOPLE)[number]);
  if (!hasSession(state, by, session)) return undefined;
  return {
    name: 'cancel',
    text: `${by} cancels ${payment}`,
    as,
    ...(by === payer ? { call: { do: 'cancel', payment } } : { expects: 'transaction.unknown' }),
    http: {
      method: 'POST',
      path: `/api/v1/transactions/${world.names.id(payment)}/cancel`,
      headers: { ...headers, 'idempotency-key': next('cancel') },
    },
  };
};

const ask: Draw = (context) => {
  const { random, next } = context;
  const by = random.pick(PEOPLE);
  const [of, amount, id] = [drawName(context), random.pick(AMOUNTS), next('request')];
  const { session, as, headers } = drawSession(context, by);
  if (!hasSession(context.state, by, session) || of === context.state.people[by]!.name) return undefined;
  return {
    name: 'ask',
    text: `${by} asks ${of} for ${usdcNumber(amount)}`,
    as,
    call: { do: 'ask', id, by, of, amount },
    creates: { requests: id },
    http: {
      method: 'POST',
      path: '/api/v1/requests',
      body: { payer_username: of, amount: usdcNumber(amount) },
      headers: { ...headers, 'idempotency-key': id },
    },
    isRepeatable: true,
  };
};

const answerRequest: Draw = (context) => {
  const { random, state, world } = context;
  const all = Object.entries(state.requests);
  if (all.length === 0) return undefined;
  const open = all.filter(([, one]) => one.state === 'open');
  const [request, { asker, payer }] = random.pick(open.length > 0 && random.chance(0.8) ? open : all);
  const deed = random.pick(['pay', 'decline', 'cancel'] as const);
  const by = (deed === 'cancel' ? asker : payer) as (typeof PEOPLE)[number];
  const { session, as, headers } = drawSession(context, by);
  if (!hasSession(state, by, session)) return undefined;
  const action: Pick<Action, 'call' | 'creates'> =
    deed === 'pay'
      ? { call: { do: 'payRequest', request, by, session }, creates: { transfers: request } }
      : { call: { do: 'endRequest', request, state: deed === 'cancel' ? 'cancelled' : 'declined' } };
  return {
    name: `${deed} request`,
    text: `${by}: ${deed} ${request}`,
    as,
    ...action,
    http: { method: 'POST', path: `/api/v1/requests/${world.names.id(request)}/${deed}`, headers },
    isRepeatable: true,
  };
};

const rename: Draw = (context) => {
  const { random, world, next } = context;
  const who = random.pick(PEOPLE);
  const to = random.pick(NAMES);
  const { session, as, headers } = drawSession(context, who);
  if (!hasSession(context.state, who, session)) return undefined;
  return {
    name: 'rename',
    text: `${who} takes the name ${to}`,
    as,
    call: { do: 'rename', who, to },
    http: {
      method: 'POST',
      path: '/api/v1/set_username',
      body: { user_id: world.names.id(who), username: to },
      headers: { ...headers, 'idempotency-key': next('rename') },
    },
    isRepeatable: true,
  };
};

export const logIn = async (context: Context, who: (typeof PEOPLE)[number]): Promise<Action> => {
  const session = context.next(`session ${who} `);
  const id_token = await context.world.stage.issuer.issueIdToken(`${who}@example.com`);
  return {
    name: 'log in',
    text: `${who} logs in`,
    call: { do: 'login', who, session },
    creates: { sessions: session },
    http: { method: 'POST', path: '/api/v1/login', body: { id_token }, headers: {} },
    learn: (body) => void context.tokens.set(session, { who, token: body.access_token }),
  };
};

const logOut: Draw = (context) => {
  const who = context.random.pick(PEOPLE);
  const { sessions } = context.state.people[who]!;
  const [session] = sessions;
  if (sessions.length < 2 || !context.tokens.has(session!) || !hasSession(context.state, who, session!))
    return undefined;
  return {
    name: 'log out',
    text: `${who} ends ${session}`,
    call: { do: 'revokeSession', who, session: session! },
    http: {
      method: 'DELETE',
      path: `/api/v1/sessions/${context.world.names.id(session!)}`,
      headers: { authorization: `Bearer ${context.tokens.get(session!)!.token}` },
    },
  };
};

const close: Draw = (context) => {
  const { random, state } = context;
  if (openPeople(context).length < 3) return undefined;
  const who = random.pick(PEOPLE);
  const { session, as, headers } = drawSession(context, who);
  if (!hasSession(state, who, session)) return undefined;
  return {
    name: 'close',
    text: `${who} closes the account`,
    as,
    call: { do: 'close', who },
    http: { method: 'POST', path: '/api/v1/me/close', headers },
  };
};

/** Reads a payment as a person who takes no part in it. */
const pry: Draw = (context) => {
  const { random, state, world } = context;
  const [payment, send] = random.pick(Object.entries(state.sends)) ?? [];
  const who = random.pick(PEOPLE);
  if (!send || !payment || send.payer === who) return undefined;
  const { session, as, headers } = drawSession(context, who);
  if (!hasSession(state, who, session)) return undefined;
  return {
    name: 'pry',
    text: `${who} reads ${payment} of ${send.payer}`,
    as,
    expects: 'transaction.unknown',
    http: { method: 'GET', path: `/api/v1/transactions/${world.names.id(payment)}`, headers },
  };
};

/** People see what they have, however far behind a standby is. */
export const look: Draw = (context) => {
  const { random, state, isStandbyBehind } = context;
  const who = random.pick(PEOPLE);
  const { session, as, headers } = drawSession(context, who);
  if (!hasSession(state, who, session)) return undefined;
  const { available, held } = state.people[who]!;
  return {
    name: isStandbyBehind ? 'look while the standby lags' : 'look',
    text: `${who} looks at the balance`,
    as,
    expects: `${available} available, ${held} held`,
    http: { method: 'GET', path: '/api/v1/me/overview', headers },
    read: ({ balances: [home] }: { balances: [Record<'available' | 'held', string>] }) =>
      `${parseUnits(home.available, 6)} available, ${parseUnits(home.held, 6)} held`,
    isRepeatable: true,
  };
};

/** The actions, with their weights. */
export const peopleDo: readonly (readonly [number, Draw])[] = [
  [9, pay],
  [10, send],
  [6, sendWithKey],
  [4, cancel],
  [9, ask],
  [20, answerRequest],
  [4, rename],
  [18, logOut],
  [3, close],
  [5, pry],
  [12, look],
];
