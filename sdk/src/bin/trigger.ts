import { FlorinError } from '../FlorinError.ts';
import type { Account } from './openAccount.ts';

interface Triggering {
  readonly type: string;
  readonly to: string | undefined;
}

/** Small, so that a day of tests does not use up a balance. */
const AMOUNT = '0.01';
/** Belongs to no one. */
const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';

/** Resolves with what it did, for people. */
type Action = (account: Account, people: { readonly userId: string; readonly other: string }) => Promise<string>;

const pay: Action = async ({ call }, { userId, other }) => {
  const body = { sender_user_id: userId, receiver_username: other, amount: AMOUNT };
  const { transaction_id: id } = await call('send_usdc', { body });
  return `paid ${AMOUNT} USDC to ${other}: payment ${id}`;
};

const send: Action = async ({ call }) => {
  const { transaction_id: id } = await call('send_to_address', {
    body: { destination_address: ADDRESS, amount: AMOUNT },
  });
  return `sending ${AMOUNT} USDC to ${ADDRESS}: payment ${id}`;
};

const ask = async ({ call }: Account, other: string): Promise<string> =>
  (await call('ask_for_money', { body: { amount: AMOUNT, payer_username: other } })).request_id;

/** One small thing per event that an account can cause by itself. Others: see the testing guide. */
const ACTIONS: Readonly<Record<string, Action>> = {
  'payment.complete': pay,
  'payment.initiated': send,
  'payment.sent': send,
  'payment.confirmed': send,
  'request.open': async (account, { other }) =>
    `asked ${other} for ${AMOUNT} USDC: request ${await ask(account, other)}`,
  'request.cancelled': async (account, { other }) => {
    const id = await ask(account, other);
    await account.call('cancel_request', { path: { request_id: id } });
    return `asked ${other} for ${AMOUNT} USDC and cancelled: request ${id}`;
  },
};

/** Makes an event happen, in a sandbox only: real money never moves. Returns what it did. */
export async function trigger(account: Account, { type, to }: Triggering): Promise<string> {
  const act = Object.hasOwn(ACTIONS, type) ? ACTIONS[type] : undefined;
  if (!act) throw refuse(`${type} cannot be triggered. These can: ${Object.keys(ACTIONS).join(', ')}.`);
  await refuseProduction(account.backendUrl);
  const { user } = await account.call('read_me', {});
  // Every sandbox has both.
  const other = to ?? (user.username === 'bob' ? 'alice' : 'bob');
  return `${type}: ${await act(account, { userId: user.user_id, other })}`;
}

/** The served document says what serves it. Asked without the key, so that a wrong address does not see it. */
async function refuseProduction(backendUrl: string): Promise<void> {
  const url = `${backendUrl}/openapi.json`;
  let served: { readonly servers?: readonly { readonly description?: string }[] };
  try {
    served = (await (await fetch(url, { signal: AbortSignal.timeout(10_000) })).json()) as typeof served;
  } catch (cause) {
    throw refuse(`${url} is not readable, so this may be no sandbox.`, cause);
  }
  if (served.servers?.[0]?.description !== 'Local development')
    throw refuse(`${backendUrl} is not a sandbox: trigger would move real money.`);
}

const refuse = (detail: string, cause?: unknown): FlorinError =>
  new FlorinError({ code: 'request.invalid', title: 'Nothing was triggered', detail, cause });
