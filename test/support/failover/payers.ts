/** People who pay each other without a pause, and a shop that sends to addresses; both repeat under the same key. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomAddress } from '../chain/custody.ts';

export interface Payer {
  readonly userId: string;
  readonly bearer: string;
  readonly pays: string;
}

export interface Answered {
  /** Ids of payments that were answered with 200. */
  readonly payments: readonly string[];
  readonly sends: readonly string[];
  /** The number of failed calls, by error code. */
  readonly errors: ReadonlyMap<string, number>;
  readonly longestGapMs: number;
  /** The number of answered payments that were missing when they were looked up on another server. */
  readonly reads: number;
  readonly stale: number;
}

export interface Servers {
  readonly backendUrls: readonly string[];
  /** Without any, there are no sends to addresses. */
  readonly web3Urls: readonly string[];
  readonly serviceKey: string;
}

export interface Paying {
  /** The number of payments answered since the last `take`. */
  count(): number;
  /** Returns the answers since the last call. */
  take(): Answered;
  /** All repetitions have stopped. */
  leave(): void;
  /** Every started payment is repeated until it is done. */
  stop(): Promise<Answered>;
}

const SEND_EVERY_MS = 500;
const REPEAT_AFTER_MS = 100;
const TIMEOUT_MS = 15_000;
const LOOKUP_TIMEOUT_MS = 5_000;
/** One of this many payments is looked up. */
const LOOKUP_EVERY = 10;

export function startPayers(servers: Servers, payers: readonly Payer[], pauseMs = 0): Paying {
  const stopping = new AbortController();
  const checking = new Set<Promise<void>>();
  let hasLeft = false;
  let counted = begin();
  function begin() {
    return {
      payments: [] as string[],
      sends: [] as string[],
      errors: new Map<string, number>(),
      longestGapMs: 0,
      lastMs: performance.now(),
      reads: 0,
      stale: 0,
    };
  }
  const note = (list: 'payments' | 'sends', id: string) => {
    counted[list].push(id);
    if (list !== 'payments') return;
    const nowMs = performance.now();
    counted.longestGapMs = Math.max(counted.longestGapMs, nowMs - counted.lastMs);
    counted.lastMs = nowMs;
  };

  /**
   * One payment: requested from one server after another under the same key, until one of them reports that it is done.
   */
  async function insist(
    list: 'payments' | 'sends',
    urls: readonly string[],
    path: string,
    body: object,
    bearer: string,
  ): Promise<void> {
    const key = randomUUID();
    for (let nth = Math.floor(Math.random() * urls.length); ; nth++) {
      const { id, code } = await ask(urls[nth % urls.length]! + path, key, bearer, body);
      if (id !== undefined) {
        note(list, id);
        if (list === 'payments' && counted.payments.length % LOOKUP_EVERY === 0)
          check(urls[(nth + 1) % urls.length]!, id, bearer);
        return;
      }
      if (hasLeft) return;
      counted.errors.set(code!, (counted.errors.get(code!) ?? 0) + 1);
      await sleep(REPEAT_AFTER_MS);
    }
  }

  /** Only an answer counts: while a database is down there may be none. */
  function check(url: string, id: string, bearer: string): void {
    const asked = counted;
    const done = fetch(`${url}/api/v1/transactions/${id}`, {
      headers: { authorization: `Bearer ${bearer}` },
      signal: AbortSignal.timeout(LOOKUP_TIMEOUT_MS),
    })
      .then(async ({ status, body }) => {
        await body?.cancel();
        if (status === 200) asked.reads++;
        if (status === 404) asked.stale++;
      })
      .catch(() => {})
      .finally(() => checking.delete(done));
    checking.add(done);
  }

  const pay = async ({ userId, bearer, pays }: Payer) => {
    const body = { sender_user_id: userId, receiver_username: pays, amount: 0.000001 };
    while (!stopping.signal.aborted) {
      await insist('payments', servers.backendUrls, '/api/v1/send_usdc', body, bearer);
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const send = async () => {
    while (!stopping.signal.aborted) {
      const body = {
        destination_address: randomAddress(),
        amount: 0.01,
        blockchain: 'ETH-SEPOLIA',
        wallet_username: payers[0]!.pays,
      };
      await insist('sends', servers.web3Urls, '/wallet/send-usdc', body, servers.serviceKey);
      await sleep(SEND_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const all = Promise.all([...payers.map(pay), ...(servers.web3Urls.length > 0 ? [send()] : [])]);
  return {
    count: () => counted.payments.length,
    take() {
      const taken = counted;
      const silentMs = performance.now() - taken.lastMs;
      counted = begin();
      return { ...taken, longestGapMs: Math.max(taken.longestGapMs, silentMs) };
    },
    leave() {
      hasLeft = true;
      stopping.abort();
    },
    async stop() {
      stopping.abort();
      await all;
      await Promise.all(checking);
      return this.take();
    },
  };
}

/** The id of the payment, or the error code. */
export async function ask(
  url: string,
  key: string,
  bearer: string,
  body: object,
): Promise<{ readonly id?: string; readonly code?: string }> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}`, 'idempotency-key': key },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const said = (await answer.json()) as { transaction_id?: string; code?: string };
    if (answer.status === 200) return { id: said.transaction_id ?? '' };
    return { code: `${answer.status} ${said.code ?? ''}` };
  } catch (error) {
    return { code: (error as Error).name === 'TimeoutError' ? 'no answer' : 'connection lost' };
  }
}
