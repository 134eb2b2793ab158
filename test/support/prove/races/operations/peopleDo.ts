/** Operations of people: with a session, or through a service that has a key. */
import { createHash } from 'node:crypto';
import { PayError } from '../../../../../server/src/core/errors.ts';
import type { Usdc } from '../../../../../server/src/core/money.ts';
import { closeAccount } from '../../../../../server/src/customers/account/closeAccount.ts';
import { revokeAccountKey } from '../../../../../server/src/customers/keys/accountKeys.ts';
import { refreshSession } from '../../../../../server/src/customers/sessions/refreshSession.ts';
import { logOutEverywhere, openSession, revokeSession } from '../../../../../server/src/customers/sessions/sessions.ts';
import { setUsername } from '../../../../../server/src/customers/usernames/setUsername.ts';
import { lockOpenAccount } from '../../../../../server/src/customers/users.ts';
import { askForMoney } from '../../../../../server/src/payments/requests/askForMoney.ts';
import { endRequest } from '../../../../../server/src/payments/requests/endRequest.ts';
import { payRequest } from '../../../../../server/src/payments/requests/payRequest.ts';
import { cancelPayment } from '../../../../../server/src/payments/sends/cancelPayment.ts';
import { sendToAddress } from '../../../../../server/src/payments/sends/sendToAddress.ts';
import { type SentToUser, sendToUser } from '../../../../../server/src/payments/users/sendToUser.ts';
import { HOME } from '../../../values.ts';
import { type Need, type PersonName, REFRESH_KEY, type Scene } from '../buildScene.ts';
import type { Operation } from '../operation.ts';

const SESSION_RULES = { accessTokenSeconds: 90_000, refreshTokenSeconds: 90_000, sessionSeconds: 90_000 };

function toPaid({ replayed, result }: SentToUser): string {
  const answer = 'refusal' in result ? result.refusal.code : 'paid';
  if (!replayed) return answer;
  return answer === 'paid' ? 'again' : `again: ${answer}`;
}

interface More {
  /** With the key of the payer's account instead of a session. */
  readonly withOwnKey?: boolean;
  readonly touches?: readonly string[];
  /** Whose Idempotency-Key it uses; by default its own. */
  readonly keyOf?: string;
}

const pay = (
  name: string,
  by: PersonName,
  to: PersonName,
  { touches = [], keyOf = name, withOwnKey = false }: More = {},
): Operation => {
  const key = (scene: Scene) => scene.keyed(keyOf, `user:${scene.id(by)}`, 'send_usdc');
  return {
    ...(withOwnKey && { needs: ['ownKey'] }),
    touches: [by, to, withOwnKey ? 'ownKey' : `session ${by}`, ...touches],
    prepare: key,
    call: (scene) => ({
      do: 'pay',
      id: keyOf,
      by,
      to,
      amount: scene.amount(name),
      ...(withOwnKey ? { key: 'ownKey' } : { session: `session ${by}` }),
    }),
    async run(side, scene) {
      const accountKey = withOwnKey ? { keyId: scene.id('ownKey'), client: '192.0.2.1' } : undefined;
      const caller = withOwnKey ? undefined : await side.callers.recall(scene.token(by));
      const request = { senderId: scene.id(by), receiver: scene.username(to), amount: scene.amount(name) as Usdc };
      return toPaid(await sendToUser(side, { ...request, caller, accountKey, key: key(scene) }));
    },
  };
};

/** A send by a person with a session, or with a service's key. */
const send = (name: string, by: PersonName, withKey: boolean, { keyOf = name }: More = {}): Operation => {
  const key = (scene: Scene) =>
    scene.keyed(keyOf, withKey ? `key:${scene.id('key')}` : `user:${scene.id(by)}`, 'send_to_address');
  return {
    touches: [by, withKey ? 'key' : `session ${by}`],
    prepare: key,
    call: (scene) => ({
      do: 'send',
      id: keyOf,
      by,
      amount: scene.amount(name),
      ...(withKey ? { key: 'key' } : { session: `session ${by}` }),
    }),
    async run(side, scene) {
      const caller = withKey ? undefined : await side.callers.recall(scene.token(by));
      const { replayed, result } = await sendToAddress(side, {
        destination: scene.address(keyOf),
        amount: scene.amount(name) as Usdc,
        blockchain: HOME,
        currency: 'USDC',
        key: key(scene),
        ...(caller
          ? { payerId: caller.userId, sessionId: caller.sessionId }
          : { serviceKeyId: scene.id('key'), walletUsername: scene.username(by) }),
      });
      const answer = 'refusal' in result ? result.refusal.code : 'accepted';
      if (!replayed) return answer;
      return answer === 'accepted' ? 'again' : `again: ${answer}`;
    },
  };
};

const endRequestAs = (by: 'alice' | 'bob', state: 'declined' | 'cancelled'): Operation => ({
  needs: ['request'],
  touches: ['request'],
  call: () => ({ do: 'endRequest', request: 'request', state }),
  run: async ({ db }, scene) =>
    (await db.tx((tx) => endRequest(tx, { requestId: scene.id('request'), userId: scene.id(by), state }))).state,
});

const rename = (who: PersonName, to: string): Operation => ({
  touches: [who, `name ${to}`, 'names'],
  call: () => ({ do: 'rename', who, to }),
  async run({ db }, scene) {
    const request = { userId: scene.id(who), username: scene.username(to) };
    await db.tx((tx) => setUsername(tx, { cooldownDays: 0 }, request));
    return 'renamed';
  },
});

const refresh = (key: string, ...needs: Need[]): Operation => ({
  needs,
  touches: ['session alice'],
  // PostgreSQL has only the hash of an Idempotency-Key.
  prepare(scene) {
    for (const one of [REFRESH_KEY, key]) scene.know(one, createHash('sha256').update(one).digest('hex'));
  },
  call: () => ({ do: 'refresh', who: 'alice', session: 'session alice', key }),
  async run({ db }, scene) {
    const app = { db, sessions: SESSION_RULES };
    await refreshSession(app, { refreshToken: scene.refreshToken('alice'), idempotencyKey: key });
    return 'refreshed';
  },
});

const cancel = (payment: 'waiting' | 'accepted' | 'queued' | 'signed' | 'started', by: PersonName): Operation => ({
  needs: [payment],
  touches: [payment],
  call: () => ({ do: 'cancel', payment }),
  run: ({ db }, scene) => db.tx((tx) => cancelPayment(tx, { paymentId: scene.id(payment), payerId: scene.id(by) })),
});

export const peopleDo: Readonly<Record<string, Operation>> = {
  alice_pays_bob: pay('alice_pays_bob', 'alice', 'bob'),
  alice_pays_bob_otherwise: pay('alice_pays_bob_otherwise', 'alice', 'bob', { keyOf: 'alice_pays_bob' }),
  own_key_pays_bob: pay('own_key_pays_bob', 'alice', 'bob', { withOwnKey: true }),
  own_key_pays_again: pay('own_key_pays_again', 'alice', 'bob', { withOwnKey: true, keyOf: 'alice_pays_bob' }),
  own_key_is_revoked: {
    needs: ['ownKey'],
    touches: ['ownKey'],
    call: () => ({ do: 'revokeKey', key: 'ownKey' }),
    async run({ db }, scene) {
      try {
        await db.tx((tx) => revokeAccountKey(tx, scene.id('alice'), scene.id('ownKey')));
        return 'revoked';
      } catch (error) {
        if (error instanceof PayError && error.code === 'key.unknown') return 'unknown';
        throw error;
      }
    },
  },
  alice_logs_out_everywhere: {
    needs: ['ownKey'],
    touches: ['ownKey', 'session alice'],
    call: () => ({ do: 'endSessions', who: 'alice' }),
    run: async ({ db }, scene) => `ended ${await db.tx((tx) => logOutEverywhere(tx, scene.id('alice')))}`,
  },
  alice_pays_zed: pay('alice_pays_zed', 'alice', 'zed', { touches: ['names'] }),
  lena_pays_zed: pay('lena_pays_zed', 'lena', 'zed', { touches: ['names'] }),
  bob_pays_alice: pay('bob_pays_alice', 'bob', 'alice'),
  alice_sends: send('alice_sends', 'alice', false),
  lena_sends: send('lena_sends', 'lena', false),
  key_sends: send('key_sends', 'lena', true),
  key_sends_again: send('key_sends_again', 'lena', true),
  key_sends_otherwise: send('key_sends_otherwise', 'lena', true, { keyOf: 'key_sends' }),
  alice_pays_request: {
    needs: ['request'],
    touches: ['request', 'alice', 'bob', 'session alice'],
    call: () => ({ do: 'payRequest', request: 'request', by: 'alice', session: 'session alice' }),
    async run(side, scene) {
      const caller = await side.callers.recall(scene.token('alice'));
      return toPaid(await payRequest(side, { requestId: scene.id('request'), caller }));
    },
  },
  alice_declines: endRequestAs('alice', 'declined'),
  bob_withdraws: endRequestAs('bob', 'cancelled'),
  zed_asks_lena: {
    touches: ['zed', 'lena requests'],
    call: (scene) => ({ do: 'ask', id: 'asked', by: 'zed', of: 'lena', amount: scene.amount('asked') }),
    async run({ db }, scene) {
      const asked = { askerId: scene.id('zed'), payer: scene.username('lena'), amount: scene.amount('asked') as Usdc };
      await db.tx((tx) => askForMoney(tx, { ...asked, note: null, expiresAt: null }));
      return 'asked';
    },
  },
  bob_asks_zed: {
    touches: ['zed', 'bob requests'],
    call: (scene) => ({ do: 'ask', id: 'asked', by: 'bob', of: 'zed', amount: scene.amount('asked') }),
    async run({ db }, scene) {
      const asked = { askerId: scene.id('bob'), payer: scene.username('zed'), amount: scene.amount('asked') as Usdc };
      await db.tx((tx) => askForMoney(tx, { ...asked, note: null, expiresAt: null }));
      return 'asked';
    },
  },
  zed_renames: rename('zed', 'nova'),
  bob_takes_the_same_name: rename('bob', 'nova'),
  zed_closes: {
    touches: ['zed', 'names'],
    call: () => ({ do: 'close', who: 'zed' }),
    async run({ db }, scene) {
      await db.tx((tx) => closeAccount(tx, scene.id('zed')));
      return 'closed';
    },
  },
  zed_logs_in: {
    touches: ['zed'],
    call: () => ({ do: 'login', who: 'zed', session: 'new' }),
    async run({ db }, scene) {
      await db.tx(async (tx) => {
        await lockOpenAccount(tx, scene.id('zed'));
        await openSession(tx, SESSION_RULES, scene.id('zed'), null);
      });
      return 'logged in';
    },
  },
  alice_logs_out: {
    touches: ['session alice'],
    call: () => ({ do: 'revokeSession', who: 'alice', session: 'session alice' }),
    async run({ db }, scene) {
      const caller = { userId: scene.id('alice'), sessionId: scene.id('session alice') };
      await db.tx((tx) => revokeSession(tx, caller, caller.sessionId));
      return 'revoked';
    },
  },
  alice_refreshes: refresh(REFRESH_KEY),
  thief_refreshes: refresh('other refresh key'),
  thief_refreshes_later: refresh('other refresh key', 'refreshed'),
  bob_cancels_waiting: cancel('waiting', 'bob'),
  lena_cancels_accepted: cancel('accepted', 'lena'),
  lena_cancels_queued: cancel('queued', 'lena'),
  lena_cancels_signed: cancel('signed', 'lena'),
  lena_cancels_started: cancel('started', 'lena'),
};
