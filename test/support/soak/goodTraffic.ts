/** People and a service that behave well, each from an address of their own, over TLS. */
import { randomUUID } from 'node:crypto';
import { request as askPlainly } from 'node:http';
import { Agent, request as askSecurely } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Production } from '../production.ts';

interface Good {
  /** Requests by kind, and how many of them failed. */
  readonly counts: ReadonlyMap<string, { done: number; failed: number }>;
  /** The first failures, in words. */
  readonly failures: readonly string[];
  /** Repeated, as any client would, because the server had closed an idle connection meanwhile. */
  repeated: number;
  stop(): Promise<void>;
}

export interface SoakPerson {
  readonly name: string;
  readonly userId: string;
  readonly bearer: string;
}

interface GoodWorld {
  readonly florin: Production;
  /** The authority of both APIs' certificates. */
  readonly authority: string;
  readonly people: readonly SoakPerson[];
  readonly serviceKey: string;
  addressOf(nth: number): string;
}

interface Asked {
  readonly status: number;
  readonly bytes: number;
}

/** The pause between two calls, long enough to stay below the limits of one person and of one address. */
const PAUSE_MS = 220;
/** The longest time that an answer may take on a busy machine. */
const ANSWER_MS = 60_000;
const FAILURES_SHOWN = 10;
const DEAD = `0x${'dead'.repeat(10)}`;

export function startGoodTraffic({ florin, authority, people, serviceKey, addressOf }: GoodWorld): Good {
  const counts = new Map<string, { done: number; failed: number }>();
  const failures: string[] = [];
  let running = true;
  const good = { counts, failures, repeated: 0, stop };

  /** Keeps its connection, as a program does. */
  function connectFrom(localAddress: string) {
    const kept = new Agent({ keepAlive: true, maxSockets: 2, localAddress, ca: authority });
    const fresh = new Agent({ localAddress, ca: authority });

    function once(agent: Agent, url: string, headers: Record<string, string>, body?: string): Promise<Asked> {
      const method = body === undefined ? 'GET' : 'POST';
      return new Promise((resolve, reject) => {
        const ask = url.startsWith('https:') ? askSecurely : askPlainly;
        const request = ask(url, { method, headers, ...(url.startsWith('https:') && { agent }) }, (response) => {
          let bytes = 0;
          response.on('data', (part: Buffer) => {
            bytes += part.length;
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes }));
          response.on('error', reject);
        });
        request.on('error', (error) => reject(Object.assign(error, { isStale: request.reusedSocket })));
        request.setTimeout(ANSWER_MS, () => request.destroy(new Error('no answer')));
        request.end(body);
      });
    }

    return async (what: string, url: string, headers: Record<string, string> = {}, given?: unknown): Promise<void> => {
      const count = counts.get(what) ?? { done: 0, failed: 0 };
      counts.set(what, count);
      const body = given === undefined ? undefined : JSON.stringify(given);
      const all = { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) };
      try {
        const { status } = await once(kept, url, all, body).catch((error: { isStale?: boolean }) => {
          // All our calls can be repeated: those that pay have a key.
          if (!error.isStale) throw error;
          good.repeated++;
          return once(fresh, url, all, body);
        });
        if (status >= 300) throw new Error(`status ${status}`);
        count.done++;
      } catch (error) {
        count.failed++;
        if (failures.length < FAILURES_SHOWN) failures.push(`${what}: ${(error as Error).message}`);
      }
    };
  }

  async function live(person: SoakPerson, nth: number): Promise<void> {
    const ask = connectFrom(addressOf(nth));
    const { web3Url, backendUrl, opsUrl } = florin;
    const own = { authorization: `Bearer ${person.bearer}` };
    const service = { authorization: `Bearer ${serviceKey}` };
    const other = people[(nth + 1) % people.length]!;
    for (let round = 0; running; round++) {
      await ask(
        'pay a person',
        `${backendUrl}/api/v1/send_usdc`,
        { ...own, 'idempotency-key': randomUUID() },
        {
          sender_user_id: person.userId,
          receiver_username: other.name,
          amount: 0.01,
        },
      );
      await sleep(PAUSE_MS);
      await ask('read history', `${backendUrl}/api/v1/latest_transactions_by_username/${person.name}`, own);
      await sleep(PAUSE_MS);
      await ask(
        'send to an address',
        `${web3Url}/wallet/send-usdc`,
        { ...service, 'idempotency-key': randomUUID() },
        {
          destination_address: DEAD,
          amount: 0.01,
          wallet_username: person.name,
        },
      );
      await sleep(PAUSE_MS);
      if (round % 5 === nth % 5) await ask('read a large page', `${backendUrl}/docs/viewer.js`);
      await ask('read the document', `${web3Url}/openapi.json`);
      await sleep(PAUSE_MS);
      if (round % 8 === nth % 8) {
        const idToken = await florin.issuer.sign({ sub: `soak ${person.name} ${randomUUID()}` });
        await ask('log in', `${backendUrl}/api/v1/login`, {}, { id_token: idToken });
      }
      for (const path of ['/healthz', '/readyz', '/metrics']) await ask(`ops ${path}`, opsUrl + path);
      await sleep(PAUSE_MS);
    }
  }

  const lives = people.map(live);
  async function stop(): Promise<void> {
    running = false;
    await Promise.all(lives);
  }
  return good;
}
