/**
 * People who pay each other, ask each other for money and send to addresses. A call without a clear answer is repeated
 * at the other server under the same key, and a few are never repeated. Two people have so little that many of their
 * payments must be refused.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRandom, type Random } from '../prove/random.ts';
import type { SettledPerson } from '../upgrade/settlePeople.ts';
import type { History, Work } from './history.ts';

export interface Server {
  readonly name: string;
  readonly backendUrl: string;
  readonly web3Url: string;
}

interface Wanted {
  readonly work: Work;
  readonly from: SettledPerson;
  readonly to: string;
  readonly amount: number;
  readonly path: string;
  readonly body?: object;
  /** A shop pays for the person. */
  readonly key?: string;
}

export interface Clients {
  /** The calls that are planned: repetitions come on top, and no client begins a call before its last one is clear. */
  readonly callsPerSecond: number;
  /** One more person pays at this server, without delay, and repeats the call there until it is answered. */
  payAt(server: string): void;
  /** One more person sends to an address without delay. */
  send(): void;
  /** Stops making new payments. False when one of them still has no answer after `patienceMs`. */
  stop(patienceMs: number): Promise<boolean>;
}

/** An operation's number is the part of its amount below this. */
const OPERATIONS = 1_000_000;
/** What the poor pay each other: most of what they have. */
const POOR_AMOUNT = 2 * OPERATIONS;
/**
 * How often each client begins a call, however long calls take. Without a pace, clients use all processors, and recovery
 * measures how long a starting process waits for one.
 */
const PAY_EVERY_MS = 450;
const POOR_EVERY_MS = 1_600;
const SEND_EVERY_MS = 600;
const ASK_EVERY_MS = 2_000;
const REPEAT_AFTER_MS = 50;
const TIMEOUT_MS = 8_000;
const NEVER_REPEATED = 0.05;
const REPEATED_WITHOUT_NEED = 0.02;
/** Everything else is decided: the payment was not made, and never will be under this key. */
const MAY_STILL_HAPPEN = /^(5\d\d|429|408|409 idempotency\.in_progress)/;

export function startClients(
  servers: readonly Server[],
  people: { readonly rich: readonly SettledPerson[]; readonly poor: readonly SettledPerson[] },
  shopKey: string,
  history: History,
  seed: number,
): Clients {
  let ops = 0;
  let isStopping = false;
  let isGivenUp = false;

  /** Repeats until the answer is clear. Returns the id. */
  async function insist(random: Random, wanted: (op: number) => Wanted, only?: Server): Promise<string | undefined> {
    const op = ++ops;
    const { path, body, from, key = from.bearer, ...call } = wanted(op);
    const idempotencyKey = random.uuid();
    for (let nth = random.int(servers.length); !isGivenUp; nth++) {
      const server = only ?? servers[nth % servers.length]!;
      const line = { op, server: server.name };
      history.write({ type: 'invoke', ...line, ...call, from: from.username });
      const base = path.startsWith('/api/') ? server.backendUrl : server.web3Url;
      const { id, code } = await ask(base + path, body, key, idempotencyKey);
      if (id !== undefined) {
        history.write({ type: 'ok', ...line, id });
        if (!random.chance(REPEATED_WITHOUT_NEED)) return id;
      } else if (MAY_STILL_HAPPEN.test(code)) {
        history.write({ type: 'unknown', ...line, code });
        if (call.work === 'pay' && !only && random.chance(NEVER_REPEATED)) return undefined;
      } else {
        history.write({ type: 'fail', ...line, code });
        return undefined;
      }
      await sleep(REPEAT_AFTER_MS);
    }
    return undefined;
  }

  const pay = (from: SettledPerson, to: SettledPerson, base: number) => (op: number) => ({
    work: 'pay' as const,
    from,
    to: to.username,
    amount: base + op,
    path: '/api/v1/send_usdc',
    body: { sender_user_id: from.userId, receiver_username: to.username, amount: usdc(base + op) },
  });

  const send = (from: SettledPerson, isShop: boolean) => (op: number) => {
    const to = `0x${randomBytes(20).toString('hex')}`;
    const own = { destination_address: to, amount: usdc(op) };
    const call = { work: 'send' as const, from, to, amount: op };
    return isShop
      ? { ...call, path: '/wallet/send-usdc', body: { ...own, wallet_username: from.username }, key: shopKey }
      : { ...call, path: '/api/v1/send_to_address', body: own };
  };

  async function request(random: Random): Promise<void> {
    const [asker, payer] = random.shuffle(people.rich) as [SettledPerson, SettledPerson];
    let amount = 0;
    const id = await insist(random, (op) => {
      amount = op;
      const body = { payer_username: payer.username, amount: usdc(op) };
      return { work: 'ask', from: asker, to: payer.username, amount, path: '/api/v1/requests', body };
    });
    if (id === undefined) return;
    const path = `/api/v1/requests/${id}/pay`;
    await insist(random, () => ({ work: 'pay request', from: payer, to: asker.username, amount, path }));
  }

  async function live(nth: number, everyMs: number, once: (random: Random) => Promise<unknown>): Promise<void> {
    const random = openRandom(seed * 1_000 + nth);
    for (let nextMs = performance.now(); !isStopping; ) {
      await once(random);
      nextMs = Math.max(nextMs + random.int(2 * everyMs), performance.now());
      await sleep(nextMs - performance.now());
    }
  }

  const { rich, poor } = people;
  type Life = readonly [everyMs: number, once: (random: Random) => Promise<unknown>];
  const lives: readonly Life[] = [
    ...rich.map((one): Life => [PAY_EVERY_MS, (random) => insist(random, pay(one, other(random, rich, one), 0))]),
    // Two clients for each: they compete for one balance.
    ...[...poor, ...poor].map(
      (one): Life => [POOR_EVERY_MS, (random) => insist(random, pay(one, other(random, poor, one), POOR_AMOUNT))],
    ),
    [SEND_EVERY_MS, (random) => insist(random, send(random.pick(rich), false))],
    [SEND_EVERY_MS, (random) => insist(random, send(random.pick(rich), true))],
    [ASK_EVERY_MS, request],
  ];
  const probes = openRandom(seed * 1_000 + lives.length);
  const probing: Promise<unknown>[] = [];
  const all = Promise.all(lives.map(([everyMs, once], nth) => live(nth, everyMs, once)));
  return {
    // A request that is paid is two calls.
    callsPerSecond: lives.reduce((sum, [everyMs]) => sum + 1_000 / everyMs, 1_000 / ASK_EVERY_MS),
    payAt(name) {
      const [from, to] = probes.shuffle(rich) as [SettledPerson, SettledPerson];
      const server = servers.find((one) => one.name === name)!;
      probing.push(insist(probes, pay(from, to, 0), server));
    },
    send: () => void probing.push(insist(probes, send(probes.pick(rich), false))),
    async stop(patienceMs) {
      isStopping = true;
      const isDone = await Promise.race([
        Promise.all([all, ...probing]).then(() => true),
        sleep(patienceMs, false, { ref: false }),
      ]);
      isGivenUp = true;
      await all;
      await Promise.all(probing);
      return isDone;
    },
  };
}

const other = (random: Random, people: readonly SettledPerson[], person: SettledPerson): SettledPerson =>
  random.pick(people.filter((one) => one !== person));

/** As a JSON number: six decimals are exact. */
const usdc = (amount: number): number => amount / 1_000_000;

async function ask(
  url: string,
  body: object | undefined,
  bearer: string,
  key: string,
): Promise<{ readonly id?: string; readonly code: string }> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${bearer}`,
        ...(body && { 'content-type': 'application/json', 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const said = (await answer.json()) as { transaction_id?: string | null; request_id?: string; code?: string };
    const id = said.request_id ?? said.transaction_id;
    return answer.status === 200 && id ? { id, code: '200' } : { code: `${answer.status} ${said.code ?? ''}`.trim() };
  } catch (error) {
    return { code: (error as Error).name === 'TimeoutError' ? '504 no answer' : '502 connection lost' };
  }
}
