import { describe, expect, it } from 'vitest';
import { createClient } from './client/createClient.ts';
import { FlorinError } from './FlorinError.ts';
import type { Session, SessionStore } from './keepSession.ts';

const session = (generation: number, more: Partial<Session> = {}): Session => ({
  userId: 'u',
  sessionId: 's',
  accessToken: `fla_${generation}`,
  accessEndsAt: Date.now() + 600_000,
  refreshToken: `flr_${generation}`,
  refreshKey: `key_${generation}`,
  ...more,
});

function storeOf(kept: Session | undefined): SessionStore & { kept: Session | undefined } {
  return {
    kept,
    load() {
      return this.kept;
    },
    save(next) {
      this.kept = next;
    },
  };
}

/** A service that accepts one access token and exchanges one refresh token. */
function serve({ good = 2, lose = 0, refuse = false } = {}) {
  const refreshes: { readonly token: string; readonly key: string }[] = [];
  const calls: string[] = [];
  let lost = 0;
  const json = (status: number, value: object) =>
    new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/problem+json' } });
  const refused = (reason: string) =>
    json(401, { code: 'auth.invalid', status: 401, title: 't', detail: 'd', retryable: false, reason });
  const ask = async (url: string, init: RequestInit): Promise<Response> => {
    await new Promise((done) => setTimeout(done, 2));
    const headers = init.headers as Record<string, string>;
    if (!url.endsWith('/sessions/refresh')) {
      calls.push(headers.Authorization!);
      return headers.Authorization === `Bearer fla_${good}` ? json(200, { user: {} }) : refused('expired');
    }
    refreshes.push({ token: JSON.parse(String(init.body)).refresh_token, key: headers['Idempotency-Key']! });
    if (refuse) return refused('reused');
    if (lost++ < lose) throw new TypeError('fetch failed');
    return json(200, { access_token: `fla_${good}`, refresh_token: `flr_${good}`, expires_in: 900, session_id: 's' });
  };
  return { ask, refreshes, calls };
}

const open = (store: SessionStore, ask: (url: string, init: RequestInit) => Promise<Response>) =>
  createClient({ backendUrl: 'https://api.example', store, fetch: ask, retry: { firstPauseMs: 1 } });
const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error as FlorinError,
  );

describe('tokens are refreshed', () => {
  it('once for fifty callers whose token the service refuses', async () => {
    const store = storeOf(session(1));
    const { ask, refreshes, calls } = serve();
    const florin = open(store, ask);
    await Promise.all(Array.from({ length: 50 }, () => florin.me()));
    expect(refreshes).toEqual([{ token: 'flr_1', key: 'key_1' }]);
    expect(calls.filter((one) => one === 'Bearer fla_2')).toHaveLength(50);
    expect(store.kept).toMatchObject({ accessToken: 'fla_2', refreshToken: 'flr_2', userId: 'u' });
  });

  it('before they expire, so that no call is refused', async () => {
    const store = storeOf(session(1, { accessEndsAt: Date.now() + 1_000 }));
    const { ask, refreshes, calls } = serve();
    const florin = open(store, ask);
    await Promise.all(Array.from({ length: 50 }, () => florin.me()));
    expect([refreshes.length, new Set(calls)]).toEqual([1, new Set(['Bearer fla_2'])]);
  });

  it('again under the stored key when the answer was lost, also after a restart', async () => {
    const store = storeOf(session(1));
    const first = serve({ lose: 99 });
    const failed = await caught(open(store, first.ask).me());
    expect(failed).toMatchObject({ code: 'connection.lost', outcomeUnknown: false, idempotencyKey: undefined });
    expect(store.kept?.refreshToken).toBe('flr_1');
    const second = serve({ lose: 1 });
    await open(store, second.ask).me();
    expect(new Set([...first.refreshes, ...second.refreshes].map(({ key }) => key))).toEqual(new Set(['key_1']));
  });

  it('not when another tab has done it: its tokens are used', async () => {
    const store = storeOf(session(1));
    const { ask, refreshes } = serve();
    const florin = open(store, ask);
    await florin.findSession();
    store.kept = session(2);
    await florin.me();
    expect(refreshes).toEqual([]);
  });

  it('not for another person who has logged in in another tab: the call is not made for them', async () => {
    const store = storeOf(session(1));
    const { ask, calls } = serve();
    const florin = open(store, ask);
    await florin.findSession();
    store.kept = session(2, { userId: 'another' });
    expect(await caught(florin.me())).toMatchObject({ code: 'session.none' });
    expect(calls).toEqual(['Bearer fla_1']);
  });

  it('and a concurrent login is not overwritten', async () => {
    const store = storeOf(session(1));
    const { ask } = serve();
    const another = session(9, { userId: 'another' });
    const florin = open(store, async (url, init) => {
      if (url.endsWith('/sessions/refresh')) store.kept = another;
      return ask(url, init);
    });
    await caught(florin.me());
    expect(store.kept).toEqual(another);
  });

  it('from memory when the store could not save them: reusing an old token would end the session', async () => {
    const store: SessionStore = {
      load: () => session(1, { accessEndsAt: 0 }),
      save: () => Promise.reject(new Error('the disk is full')),
    };
    const exchanged: string[] = [];
    const florin = open(store, async (url, init) => {
      if (!url.endsWith('/sessions/refresh')) return Response.json({ user: {} });
      exchanged.push(JSON.parse(String(init.body)).refresh_token);
      const next = `${exchanged.length + 1}`;
      const tokens = { access_token: `fla_${next}`, refresh_token: `flr_${next}` };
      return Response.json({ ...tokens, expires_in: 1, session_id: 's' });
    });
    for (let call = 0; call < 3; call++) await florin.me();
    expect(exchanged).toEqual(['flr_1', 'flr_2', 'flr_3']);
  });

  it('by one of two clients that share store and lock', async () => {
    const store = storeOf(session(1));
    const { ask, refreshes } = serve();
    let queue = Promise.resolve<unknown>(undefined);
    const lock = <T>(work: () => Promise<T>): Promise<T> => {
      const next = queue.then(work);
      queue = next.catch(() => {});
      return next;
    };
    const tabs = [0, 1].map(() => createClient({ backendUrl: 'https://api.example', store, fetch: ask, lock }));
    await Promise.all(tabs.map((tab) => tab.me()));
    expect(refreshes).toHaveLength(1);
  });
});

describe('a session ends', () => {
  it('when its refresh is refused, for every caller and in the store', async () => {
    const store = storeOf(session(1));
    const { ask, refreshes } = serve({ refuse: true });
    const florin = open(store, ask);
    const errors = await Promise.all([caught(florin.me()), caught(florin.me())]);
    expect(errors.map(({ code }) => code)).toEqual(['auth.invalid', 'auth.invalid']);
    expect([store.kept, refreshes.length]).toEqual([undefined, 1]);
    expect(await caught(florin.me())).toMatchObject({ code: 'session.none' });
  });

  it('never because the network is down', async () => {
    const store = storeOf(session(1));
    const florin = open(store, () => Promise.reject(new TypeError('fetch failed')));
    await caught(florin.me());
    expect(store.kept).toBeDefined();
  });

  it('here, when the person logs out, even if the service cannot be reached', async () => {
    const store = storeOf(session(2));
    const florin = open(store, () => Promise.reject(new TypeError('fetch failed')));
    expect(await caught(florin.logout())).toMatchObject({ code: 'connection.lost' });
    expect([store.kept, await florin.findSession()]).toEqual([undefined, undefined]);
  });

  it('but not the refresh of the others when one caller aborts', async () => {
    const store = storeOf(session(1));
    const { ask } = serve();
    const florin = open(store, ask);
    const giving = new AbortController();
    const [given, other] = [caught(florin.me({ signal: giving.signal })), florin.me()];
    setTimeout(() => giving.abort(), 3);
    expect(await given).toBeInstanceOf(FlorinError);
    await other;
    expect(store.kept?.accessToken).toBe('fla_2');
  });
});

describe('no one is logged in', () => {
  it('and a call reports it without a request to the service', async () => {
    const { ask, calls } = serve();
    const florin = open(storeOf(undefined), ask);
    expect(await caught(florin.pay({ receiver_username: 'bob', amount: '1' }))).toMatchObject({ code: 'session.none' });
    expect(calls).toEqual([]);
  });
});
