/**
 * The refusals of calls with an Idempotency-Key: how to cause each, and how to remove the cause. Then the same call is
 * repeated: a stored refusal stays, and any other leaves the key free. The documents list the codes that an operation
 * returns; `findMissing` keeps this table complete.
 */
import { randomUUID } from 'node:crypto';
import { parseUsdc } from '../../../../server/src/core/money.ts';
import { bearer } from '../../http/answer.ts';
import { recordDeposit } from '../../ledger/recordDeposit.ts';
import { HOME, UNKNOWN_USER_ID } from '../../values.ts';
import { ownerOf } from './givePasskeys.ts';
import type { GoodCall } from './goodCalls.ts';
import { type Described, listCodes } from './listOperations.ts';
import type { Member, NegativesWorld } from './openWorld.ts';
import { OTHER_PAYEE } from './otherValues.ts';

type Change = Partial<Pick<GoodCall, 'body' | 'headers' | 'params'>> & { readonly text?: string };

export interface Caused {
  /** The values of the refused call that replace those of the good call. */
  readonly change?: Change;
  /** Removes the cause. Undefined: it is in the call, and the second call is the good one. */
  readonly undo?: () => Promise<unknown>;
}

interface Refusal {
  readonly code: string;
  /** Only these operations; by default all that document the code. */
  readonly only?: readonly string[];
  /** Not these, which document the code for another cause. */
  readonly except?: readonly string[];
  /** False: a preview does not tell. */
  readonly isPreviewed?: boolean;
  /** Whether the refusal is the answer under the key from then on. */
  readonly isStored: boolean;
  cause(world: NegativesWorld, who: Member): Promise<Caused> | Caused;
}

const body = (values: Record<string, unknown>): Caused => ({ change: { body: values } });
const setStatus = (world: NegativesWorld, who: Member, status: string) =>
  world.db.query('UPDATE users SET kyc_status = $2 WHERE user_id = $1', [who.userId, status]);
const pause = async (world: NegativesWorld, scope: string): Promise<Caused> => {
  await world.operate('pause', 'add', scope, '--why', 'a test');
  return { undo: () => world.operate('pause', 'remove', scope) };
};

/** The person wants to be asked before every payment. */
async function guard(world: NegativesWorld, who: Member): Promise<Caused> {
  const { session, passkeys } = ownerOf(world, who);
  const passkey = await passkeys.add(session);
  await passkeys.setRule(session, 0);
  return {
    undo: async () => {
      const { passkey_id: id } = (await passkeys.list(session)).body.passkeys[0];
      await passkeys.prove(session, passkey, { deed: 'remove', passkey_id: id });
      await world.call('DELETE', `/api/v1/passkeys/${id}`, undefined, session.session);
    },
  };
}

/** Payments by a person: the key that is refused is one of their account. */
const BY_ACCOUNT_KEY = ['send_usdc', 'send_to_address', 'pay_request'];

async function makeAccountKey(world: NegativesWorld, who: Member, wanted: object): Promise<string> {
  const { body: made } = await world.call(
    'POST',
    '/api/v1/keys',
    { name: 'a test', ...wanted },
    bearer(who.accessToken),
  );
  return made.key;
}

const REFUSALS: readonly Refusal[] = [
  // A cancellation is refused only while a restored database may lack a signature; the restore stories cause that.
  { code: 'service.paused', except: ['cancel_transaction'], isStored: false, cause: (world) => pause(world, 'all') },
  { code: 'user.paused', isStored: false, cause: (world, who) => pause(world, `user:${who.userId}`) },
  {
    code: 'kyc.required',
    isStored: true,
    async cause(world, who) {
      await setStatus(world, who, 'rejected');
      return { undo: () => setStatus(world, who, 'none') };
    },
  },
  {
    code: 'limit.exceeded',
    isStored: true,
    async cause(world, who) {
      await setStatus(world, who, 'needs_input');
      return { ...body({ amount: 150 }), undo: () => setStatus(world, who, 'none') };
    },
  },
  {
    code: 'balance.insufficient',
    isStored: true,
    cause: (world, { userId }) => ({
      ...body({ amount: 3_000 }),
      undo: () =>
        world.db.tx((tx) =>
          recordDeposit(tx, {
            depositId: randomUUID(),
            userId,
            blockchain: HOME,
            amount: parseUsdc('9000'),
            fromAddress: OTHER_PAYEE,
          }),
        ),
    }),
  },
  {
    code: 'username.unknown',
    only: ['send_usdc', 'ask_for_money'],
    isStored: true,
    cause(world) {
      const name = `late_${randomUUID().slice(0, 8)}`;
      return { ...body({ receiver_username: name, payer_username: name }), undo: () => world.join(name, '0') };
    },
  },
  {
    code: 'address.blocked',
    isStored: false,
    async cause(world) {
      const blacklist = `0x${randomUUID().replaceAll('-', '')}abcdef12`;
      await world.turn('/token', { blacklist });
      await world.turn('/mine', {});
      return {
        ...body({ destination_address: blacklist }),
        async undo() {
          await world.turn('/token', { unblacklist: blacklist });
          await world.turn('/mine', {});
        },
      };
    },
  },
  {
    code: 'key.not_allowed',
    isStored: true,
    async cause(world) {
      const said = await world.operate('key', 'create', randomUUID(), '--scope', 'send', '--user', 'bob');
      const id = /Key (\S+)/.exec(said)![1]!;
      return {
        change: { headers: { authorization: `Bearer ${said.split('\n')[0]}` } },
        undo: () => world.operate('key', 'change', id, '--any-wallet', '--why', 'a test'),
      };
    },
  },
  {
    code: 'key.limit_exceeded',
    only: BY_ACCOUNT_KEY,
    isStored: true,
    isPreviewed: false,
    async cause(world, who) {
      const key = await makeAccountKey(world, who, { scopes: ['pay'], payment_limit: 0.000001, day_limit: 0.000001 });
      // Its limits cannot change, and the refusal stays under the Idempotency-Key.
      return { change: { headers: { authorization: `Bearer ${key}` } }, undo: async () => {} };
    },
  },
  {
    code: 'key.limit_exceeded',
    except: BY_ACCOUNT_KEY,
    isStored: true,
    async cause(world) {
      const limits = ['--any-wallet', '--payment', '1'];
      const said = await world.operate('key', 'create', randomUUID(), '--scope', 'send', ...limits);
      const id = /Key (\S+)/.exec(said)![1]!;
      return {
        change: { headers: { authorization: `Bearer ${said.split('\n')[0]}` } },
        undo: () => world.operate('key', 'change', id, '--payment', '100', '--why', 'a test'),
      };
    },
  },
  {
    code: 'username.cooldown',
    isStored: false,
    async cause(world, { userId }) {
      await world.admin.query(
        `INSERT INTO username_changes (user_id, username, previous, changed_at) VALUES ($1, 'before', 'even_before', now())`,
        [userId],
      );
      return {
        undo: () =>
          world.admin.query(`DELETE FROM username_changes WHERE user_id = $1 AND username = 'before'`, [userId]),
      };
    },
  },
  {
    code: 'username.needed',
    isStored: true,
    async cause(world) {
      const { accessToken, userId } = await world.join(null, '0');
      const username = `named_${randomUUID().slice(0, 8)}`;
      return {
        change: { headers: { authorization: `Bearer ${accessToken}` } },
        undo: () => world.call('POST', '/api/v1/set_username', { user_id: userId, username }),
      };
    },
  },
  {
    code: 'money_request.too_many',
    isStored: false,
    async cause(world, who) {
      const as = { authorization: `Bearer ${who.accessToken}` };
      const asked: string[] = [];
      for (;;) {
        const { status, body: made } = await world.call(
          'POST',
          '/api/v1/requests',
          { amount: 1, payer_username: 'bob' },
          as,
        );
        if (status !== 200) break;
        asked.push(made.request_id);
      }
      const cancel = (id: string) => world.call('POST', `/api/v1/requests/${id}/cancel`, undefined, as);
      return { ...body({ payer_username: 'bob' }), undo: () => Promise.all(asked.map(cancel)) };
    },
  },
  {
    code: 'webhook.too_many',
    isStored: true,
    async cause(world) {
      await world.admin.query(
        `INSERT INTO webhook_endpoints (endpoint_id, url, description, types, in_order, place, state)
         SELECT gen_random_uuid(), 'https://example.com', 'many', '{*}', false, 0, 'off' FROM generate_series(1, 100)`,
      );
      return {
        undo: () => world.admin.query(`UPDATE webhook_endpoints SET removed_at = now() WHERE description = 'many'`),
      };
    },
  },
  // The cause is in the call. What its form alone decides is refused before the key is read.
  { code: 'blockchain.unsupported', isStored: false, cause: () => body({ blockchain: 'DOGE' }) },
  { code: 'address.invalid', isStored: false, cause: () => body({ destination_address: '0x12' }) },
  { code: 'amount.precision', isStored: false, cause: () => body({ amount: 0.0000001 }) },
  { code: 'amount.too_large', isStored: false, cause: () => body({ amount: 1e300 }) },
  { code: 'idempotency.invalid', isStored: false, cause: () => ({ change: { headers: { 'idempotency-key': '' } } }) },
  {
    code: 'auth.invalid',
    isStored: false,
    cause: () => ({ change: { headers: { authorization: 'Bearer fla_unknown' } } }),
  },
  {
    code: 'auth.forbidden',
    only: ['send_usdc', 'set_username'],
    isStored: false,
    cause: () => body({ user_id: UNKNOWN_USER_ID, sender_user_id: UNKNOWN_USER_ID }),
  },
  {
    code: 'auth.scope',
    only: [...BY_ACCOUNT_KEY, 'ask_for_money', 'cancel_transaction'],
    isStored: false,
    async cause(world, who) {
      const key = await makeAccountKey(world, who, { scopes: ['webhooks'] });
      return { change: { headers: { authorization: `Bearer ${key}` } } };
    },
  },
  {
    code: 'key.person_only',
    isStored: false,
    async cause(world, who) {
      const key = await makeAccountKey(world, who, { scopes: ['read'] });
      return { change: { headers: { authorization: `Bearer ${key}` } } };
    },
  },
  {
    code: 'auth.scope',
    except: [...BY_ACCOUNT_KEY, 'ask_for_money', 'cancel_transaction'],
    isStored: false,
    cause: ({ keys }) => ({ change: { headers: { authorization: `Bearer ${keys.events}` } } }),
  },
  {
    code: 'request.origin',
    isStored: false,
    cause: () => ({ change: { headers: { origin: 'https://evil.example' } } }),
  },
  { code: 'request.too_large', isStored: false, cause: () => ({ change: { text: ' '.repeat(300_000) } }) },
  {
    code: 'passkey.required',
    isPreviewed: false,
    isStored: false,
    cause: (world, who) => guard(world, who),
  },
  // These are decided under the key, and stay.
  { code: 'username.invalid', isStored: true, cause: () => body({ username: 'no spaces' }) },
  { code: 'username.taken', isStored: true, cause: () => body({ username: 'bob' }) },
  { code: 'webhook.url', isStored: true, cause: () => body({ url: 'http://example.com/' }) },
  { code: 'event.unknown_type', isStored: true, cause: () => body({ types: ['coffee'] }) },
  { code: 'money_request.expiry', isStored: true, cause: () => body({ expires_at: '2020-01-01T00:00:00Z' }) },
  { code: 'payment.self', isStored: true, cause: (_, who) => body({ ...toSelf(who) }) },
  { code: 'wallet.unknown', isStored: true, cause: () => body({ funding_wallet_id: UNKNOWN_USER_ID }) },
  {
    code: 'transaction.unknown',
    isStored: true,
    cause: () => ({ change: { params: { transaction_id: UNKNOWN_USER_ID } } }),
  },
];

const toSelf = ({ username, address }: Member) => ({
  receiver_username: username,
  payer_username: username,
  destination_address: address,
});

/** Codes that this table leaves out, and where they are caused. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'auth.required': 'listCases: in the sandbox few calls need a credential',
  'idempotency.mismatch': 'runKeyed',
  'idempotency.required': 'test/http/defence.test.ts: without a key none can be used up',
  'idempotency.in_progress': 'test/payments: two concurrent calls',
  'request.host': 'test/http/defence.test.ts',
  'rate.limited': 'test/http/defence.test.ts, test/attacks/nameFlood.test.ts',
  'service.overloaded': 'test/payments/payments.test.ts',
  'service.unavailable': 'test/stories/outage.test.ts',
  'user.unknown': 'a credential names an existing person',
  'address.lookalike': 'test/payments/recipients.test.ts',
  'wallet.unspecified': 'test/bin: this world has a treasury',
  'wallet.pending': 'test/http/ownView.test.ts',
  'account.closed': 'closing ends every session',
  'webhook.unknown': 'test/http/webhooks.test.ts: only a repeated call gets it',
  'payment.ended': 'test/http/cancelOverHttp.test.ts',
};

export const refusalsOf = (described: Described): Refusal[] =>
  REFUSALS.filter(
    ({ code, only, except = [] }) =>
      listCodes(described).has(code) && !except.includes(described.id) && (!only || only.includes(described.id)),
  );

/** Documented codes of this operation that nothing here causes. */
export const findMissing = (described: Described): string[] =>
  [...listCodes(described).keys()].filter((code) => !(code in ELSEWHERE) && !REFUSALS.some((one) => one.code === code));
