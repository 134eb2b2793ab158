/**
 * Rules that are checked in two or more places: each place runs the same table of cases. The wallet does so in its own
 * tests.
 */
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromMicros, toMicros } from '../../sdk/src/amounts.ts';
import { fetchSupplied, UrlRefused } from '../../server/src/adapters/supplied/fetchSupplied.ts';
import { openReceivers, parseReceiverUrl } from '../../server/src/adapters/supplied/openReceivers.ts';
import { applyKeyOptions } from '../../server/src/bin/cli/verbs/keyOptions.ts';
import { formatUsdc, parseUsdc } from '../../server/src/core/money.ts';
import { NOTHING } from '../../server/src/customers/keys/keyRules.ts';
import { parseUsername } from '../../server/src/customers/usernames/setUsername.ts';
import { parseAddress } from '../../server/src/payments/destinations/parseAddress.ts';
import { parseCsvRows } from '../../server/src/payments/payouts/parseRows.ts';
import { toCommand } from '../../server/src/payments/users/sendToUser.ts';
import { useTestDatabase } from '../support/database/useTestDatabase.ts';
import { LOOPBACK_URLS, REFUSED_ANSWERS, REFUSED_URLS } from '../support/guards/places.ts';
import {
  ADDRESSES,
  AMOUNTS,
  IMPOSSIBLE_AMOUNTS,
  NAMES,
  NO_ADDRESSES,
  NO_AMOUNTS,
  NO_NAMES,
  WRONG_CHECKSUM,
} from '../support/guards/values.ts';
import { listen } from '../support/http/listen.ts';
import { UNKNOWN_USER_ID } from '../support/values.ts';

/** A resolver that gives its answers one after another; the last answer stays. */
function resolver(...answers: readonly (readonly string[])[]) {
  const seen = { asked: 0 };
  const next = () => answers[Math.min(seen.asked++, answers.length - 1)]!;
  return {
    seen,
    resolve: async () => next(),
    lookUp: (
      _name: string,
      _options: unknown,
      callback: (error: null, found: { address: string; family: number }[]) => void,
    ) =>
      callback(
        null,
        next().map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
  };
}

const post = (url: string, options: Parameters<typeof openReceivers>[0]) => {
  const receivers = openReceivers({ timeoutMs: 20_000, ...options });
  return receivers.post({ url, headers: {}, body: '{}' }).finally(() => receivers.close());
};
const refuse = (work: Promise<unknown>) => expect(work).rejects.toThrow(UrlRefused);

describe('the host of a URL from outside', () => {
  let server: Server;
  let port: number;
  let connections: number;
  const sockets = new Set<Socket>();
  beforeAll(async () => {
    server = createServer((request, response) => request.resume().on('end', () => response.end('here')));
    server.on('connection', (socket) => {
      connections++;
      sockets.add(socket);
    });
    port = await listen(server);
    connections = 0;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it.each(Object.entries(REFUSED_ANSWERS))('%s: no guard lets it pass', async (_, addresses) => {
    const connect = () => {
      throw new Error('no connection is allowed');
    };
    await refuse(
      fetchSupplied('https://shop.example.com/', { reach: { resolve: resolver(addresses).resolve, connect } }),
    );
    const dns = resolver(addresses);
    await refuse(post('https://shop.example.com/', { allowsLoopback: false, lookUp: dns.lookUp }));
    expect(dns.seen.asked).toBe(1);
    // In the sandbox this machine is allowed, and nothing else.
    const isHere = addresses.length > 0 && addresses.every((address) => /^(127\.|::1$)/.test(address));
    if (!isHere) {
      const near = resolver(addresses);
      await refuse(post(`http://localhost:${port}/`, { allowsLoopback: true, lookUp: near.lookUp }));
      const mixed = resolver(['127.0.0.1', ...addresses]);
      if (addresses.length > 0)
        await refuse(post(`http://localhost:${port}/`, { allowsLoopback: true, lookUp: mixed.lookUp }));
    }
    expect(connections).toBe(0);
  });

  it('is resolved again for each connection, so a name that changes later is refused then', async () => {
    const dns = resolver(['127.0.0.1'], ['169.254.169.254']);
    const receivers = openReceivers({ allowsLoopback: true, lookUp: dns.lookUp });
    const call = () => receivers.post({ url: `http://localhost:${port}/`, headers: {}, body: '{}' });
    try {
      expect((await call()).text).toBe('here');
      // The same connection: nothing is resolved.
      expect((await call()).text).toBe('here');
      expect([dns.seen.asked, connections]).toEqual([1, 1]);
      for (const socket of sockets) socket.destroy();
      await refuse(call());
      expect([dns.seen.asked, connections]).toEqual([2, 1]);
    } finally {
      receivers.close();
    }
  });

  it('is resolved once per connection: an answer that changes meanwhile is not used', async () => {
    const dns = resolver(['127.0.0.1'], ['10.0.0.1']);
    const before = connections;
    expect((await post(`http://localhost:${port}/`, { allowsLoopback: true, lookUp: dns.lookUp })).text).toBe('here');
    expect([dns.seen.asked, connections - before]).toEqual([1, 1]);
  });

  it('a URL that is invalid by itself is refused when it is registered and when it is called', async () => {
    const passed: string[] = [];
    for (const [url, allowsLoopback] of [
      ...REFUSED_URLS.flatMap((url) => [[url, false] as const, [url, true] as const]),
      ...LOOPBACK_URLS.map((url) => [url, false] as const),
    ]) {
      const dns = resolver(['127.0.0.1']);
      const guards: Record<string, () => unknown> = {
        registered: () => parseReceiverUrl(url, allowsLoopback),
        called: () => post(url, { allowsLoopback, lookUp: dns.lookUp }),
      };
      for (const [when, guard] of Object.entries(guards)) {
        const error = await Promise.resolve()
          .then(guard)
          .catch((caught: unknown) => caught);
        if (!(error instanceof UrlRefused)) passed.push(`${url} ${when} ${allowsLoopback ? 'in the sandbox' : ''}`);
      }
      if (dns.seen.asked > 0) passed.push(`${url} was looked up`);
    }
    expect(passed).toEqual([]);
    for (const url of LOOPBACK_URLS) expect(parseReceiverUrl(url, true)).toBeInstanceOf(URL);
  });
});

/** Undefined: refused. */
const attempt = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch {
    return undefined;
  }
};

const readCsv = (amount: string) => {
  const cell = `"${amount.replaceAll('"', '""')}"`;
  return parseCsvRows(Buffer.from(`reference,to,amount\nr1,alice,${cell}\n`)).rows[0]?.amount;
};

/** What an operator types about a key; undefined: refused. No option here queries the database. */
const typeKey = (options: Partial<Parameters<typeof applyKeyOptions>[2]>) =>
  applyKeyOptions(undefined as never, NOTHING, { 'any-wallet': true, ...options } as never).catch(() => undefined);

describe('an amount', () => {
  /** In millionths, as each of them reads it. */
  const guards: Record<string, (text: string) => bigint | undefined | Promise<bigint | undefined>> = {
    'the API': (text) => attempt(() => parseUsdc(text)),
    'the client': (text) => attempt(() => toMicros(text)),
    'a file of payouts': (text) => readCsv(text),
    'the limit of a key': async (text) => (await typeKey({ payment: text }))?.people.payment ?? undefined,
    'another limit of a key': async (text) => (await typeKey({ month: text }))?.people.month ?? undefined,
  };
  const readAll = (read: (typeof guards)[string], texts: readonly string[]) =>
    Promise.all(texts.map(async (text) => [text, await read(text)] as const));

  it.each(Object.entries(guards))('is the same for %s', async (_, read) => {
    expect(await readAll(read, Object.keys(AMOUNTS))).toEqual(Object.entries(AMOUNTS));
    // A cell of a file may have whitespace around it, line ends too.
    const isCell = read === guards['a file of payouts'];
    const wrong = NO_AMOUNTS.filter((text) => !(isCell && /^\d+\s+$/.test(text)));
    expect((await readAll(read, wrong)).filter(([, micros]) => micros !== undefined)).toEqual([]);
  });

  it('is written by server and client with the same digits', () => {
    for (const micros of Object.values(AMOUNTS).flatMap((one) => [one, -one, one * 1_000n]))
      expect(fromMicros(micros)).toBe(formatUsdc(micros));
  });

  it('that is finer or larger than any payment is refused where a payment is made', async () => {
    for (const guard of Object.keys(guards).filter((name) => name !== 'the client')) {
      const read = await readAll(guards[guard]!, IMPOSSIBLE_AMOUNTS);
      expect([guard, read.filter(([, micros]) => micros !== undefined)]).toEqual([guard, []]);
    }
  });
});

describe('an address', () => {
  it('is the same in every spelling', () => {
    for (const address of ADDRESSES) expect(parseAddress(address)).toBe(ADDRESSES[0]);
    expect(NO_ADDRESSES.filter((text) => attempt(() => parseAddress(text)) !== undefined)).toEqual([]);
    // The wallet leaves the checksum to the service, which refuses it in a preview and in a payment.
    expect(attempt(() => parseAddress(WRONG_CHECKSUM))).toBeUndefined();
  });

  it('is read in the same way for operators who set where a key may send, alone and at both ends of a range', async () => {
    const [address] = ADDRESSES as [string];
    const [low, high] = [`0x${'0'.repeat(40)}`, `0x${'f'.repeat(40)}`];
    const read = async (...texts: string[]) => (await typeKey({ to: texts }))?.destinations;
    const small = address.toLowerCase();
    for (const spelling of ADDRESSES) {
      expect(await read(spelling)).toEqual([[small, small]]);
      expect(await read(`${low}-${spelling}`)).toEqual([[low, small]]);
      expect(await read(`${spelling}-${high}`, low)).toEqual([
        [small, high],
        [low, low],
      ]);
    }
    const taken: string[] = [];
    // The prefix may be uppercase here: a range is written by hand.
    for (const text of NO_ADDRESSES.filter((one) => !one.startsWith('0X')))
      for (const written of [text, `${low}-${text}`, `${text}-${high}`, `${address},${text}`])
        if ((await read(written)) !== undefined) taken.push(written);
    for (const written of [`${high}-${low}`, `${low}-${high}-${high}`, `${low}–${high}`, `any-${high}`])
      if ((await read(written)) !== undefined) taken.push(written);
    expect(taken).toEqual([]);
    expect(await read(address, 'any')).toBeUndefined();
    expect(await read('any')).toBeNull();
  });
});

describe('a username', () => {
  const database = useTestDatabase();
  const inSql = async (name: string) => {
    const [row] = await database.db.query<{ ok: boolean }>(
      `SELECT $1 ~ substring(pg_get_constraintdef(oid) FROM '''(.*)''::text') AS ok FROM pg_constraint
        WHERE conname = 'usernames_username_check'`,
      [name],
    );
    return row!.ok;
  };
  const send = (receiver: string) =>
    toCommand({ senderId: UNKNOWN_USER_ID, receiver, amount: parseUsdc('1') }).receiver;

  it('is accepted alike by server, payments and database', async () => {
    for (const name of NAMES) {
      const small = name.toLowerCase();
      expect([parseUsername(name), send(name)], name).toEqual([small, small]);
      expect(await inSql(small), name).toBe(true);
    }
    for (const name of NO_NAMES) {
      expect([attempt(() => parseUsername(name)), send(name)], JSON.stringify(name)).toEqual([undefined, undefined]);
      if (!name.includes('\u0000')) expect(await inSql(name), JSON.stringify(name)).toBe(false);
    }
  });
});
