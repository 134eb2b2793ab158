import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remoteSigner } from '../../adapters/signer/remoteSigner.ts';
import type { Signer } from '../../core/signer.ts';
import { surviveSocketErrors } from '../connections/surviveSocketErrors.ts';
import { serveSigner } from './serveSigner.ts';

const folder = mkdtempSync(join(tmpdir(), 'florin-signer-'));
const servers: Server[] = [];
const USER = '7c9d2a51-0f3e-4b6a-9d18-2e5b7a4c6f03';
const ADDRESS = `0x${'a'.repeat(40)}` as const;
const asked: unknown[][] = [];
const note =
  <T>(answer: T) =>
  async (...given: unknown[]): Promise<T> => {
    asked.push(given);
    return answer;
  };
const signer: Signer = {
  check: note({ outcome: 'accepted' } as const),
  makeWallet: note({ outcome: 'accepted', walletId: 'w', address: ADDRESS } as const),
  findRelayer: note({ outcome: 'accepted', reference: 'r', address: ADDRESS } as const),
  signAuthorizations: note({ outcome: 'accepted', refused: [] } as const),
  signCancellations: () => Promise.reject(new Error('the database is away')),
  signRelayTx: note({ outcome: 'rejected', reason: 'there is no such relay transaction to sign' } as const),
  transfers: {
    submit: note({ outcome: 'unknown', cause: 'it waits for its turn at the provider' } as const),
    find: note({ outcome: 'rejected', reason: 'unknown' } as const),
    cancel: note({ outcome: 'accepted' } as const),
    accelerate: note({ outcome: 'accepted' } as const),
  },
  listArrivals: note({ outcome: 'accepted', arrivals: [] } as const),
  findArrival: note({ outcome: 'rejected', reason: 'unknown' } as const),
  readBalance: note({ outcome: 'accepted', amount: '2500000' } as const),
  fetchWebhookKey: note({ outcome: 'accepted' } as const),
};

async function listen(name: string, server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((done) => server.listen(join(folder, name), done));
  return `unix:${join(folder, name)}`;
}
const serve = (name: string, answer: RequestListener) => listen(name, surviveSocketErrors(createServer(answer)));

let url: string;
beforeAll(async () => {
  const tokens = [
    { caller: 'worker', token: 'old-of-the-worker' },
    { caller: 'worker', token: 'new-of-the-worker' },
    { caller: 'server', token: 'of-the-server' },
  ] as const;
  url = await listen('signer', serveSigner({ signer, tokens, onFault: () => {} }));
});
afterAll(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Status and text of the answer. */
const call = (method: string, path: string, body: string, token?: string): Promise<[number, string]> =>
  new Promise((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const made = request({ socketPath: url.slice(5), method, path, headers }, (response) => {
      let text = '';
      response.on('data', (part) => (text += part));
      response.on('end', () => resolve([response.statusCode!, text]));
    });
    made.on('error', reject);
    made.end(body);
  });

describe('the port of the signer', () => {
  it.each([
    ['without a token', 'POST', '/v1/check', '{}', undefined, 401],
    ['with a wrong token', 'POST', '/v1/check', '{}', 'guessed', 401],
    ['with the server’s token, to sign', 'POST', '/v1/signAuthorizations', '{}', 'of-the-server', 403],
    ['with the server’s token, to send', 'POST', '/v1/submitTransfer', `{"moveId":"${USER}"}`, 'of-the-server', 403],
    ['with the worker’s token, for a key', 'POST', '/v1/fetchWebhookKey', '{}', 'new-of-the-worker', 403],
    ['for an unknown operation', 'POST', '/v1/signAnything', '{}', 'new-of-the-worker', 404],
    ['for a property of objects', 'POST', '/v1/constructor', '{}', 'new-of-the-worker', 404],
    ['with another method', 'GET', '/v1/check', '', 'new-of-the-worker', 404],
    ['with a body that is not JSON', 'POST', '/v1/makeWallet', '{', 'of-the-server', 400],
    ['with an address', 'POST', '/v1/makeWallet', '{"userId":"0xabc"}', 'of-the-server', 400],
    [
      'with a destination beside the id',
      'POST',
      '/v1/makeWallet',
      `{"userId":"${USER}","to":"x"}`,
      'of-the-server',
      400,
    ],
    ['too long', 'POST', '/v1/makeWallet', ' '.repeat(1_100_000), 'of-the-server', 413],
    ['while its database is down', 'POST', '/v1/signCancellations', '{"moveIds":[]}', 'new-of-the-worker', 503],
  ] as const)('refuses a call %s', async (_, method, path, body, token, status) => {
    const before = asked.length;
    const [answered] = await call(method, path, body, token);
    expect(answered).toBe(status);
    expect(asked).toHaveLength(before);
  });

  it('accepts an old and a new token of a caller during a rotation', async () => {
    for (const token of ['old-of-the-worker', 'new-of-the-worker'])
      expect((await call('POST', '/v1/findRelayer', '{"number":0}', token))[0]).toBe(200);
  });

  it('forwards a caller’s values exactly', async () => {
    const remote = remoteSigner({ urls: [url], token: 'new-of-the-worker' });
    expect(await remote.makeWallet(USER)).toEqual({ outcome: 'accepted', walletId: 'w', address: ADDRESS });
    expect(await remote.signAuthorizations([USER], 2n ** 60n)).toEqual({ outcome: 'accepted', refused: [] });
    const bid = { maxFeeWei: 10n ** 20n, priorityFeeWei: 1n };
    expect(await remote.signRelayTx(USER, bid, 7n)).toMatchObject({ outcome: 'rejected' });
    expect(asked.slice(-3)).toEqual([[USER], [[USER], 2n ** 60n], [USER, bid, 7n]]);
    expect(await remote.transfers.submit(USER)).toEqual({
      outcome: 'unknown',
      cause: 'it waits for its turn at the provider',
    });
    expect(await remote.transfers.find(USER)).toEqual({ outcome: 'rejected', reason: 'unknown' });
    expect(await remote.transfers.cancel(USER)).toEqual({ outcome: 'accepted' });
    await remote.transfers.accelerate(USER);
    expect(asked.slice(-4)).toEqual([[USER], [USER], [USER], [USER]]);
    remote.close();
  });

  it('closes although a caller keeps sending requests over open connections', async () => {
    let begun = () => {};
    const isBusy = new Promise<void>((done) => {
      begun = done;
    });
    const slow: Signer = {
      ...signer,
      async check() {
        begun();
        await sleep(50);
        return { outcome: 'accepted' };
      },
    };
    const server = serveSigner({ signer: slow, tokens: [{ caller: 'worker', token: 'asks' }], onFault: () => {} });
    const remote = remoteSigner({ urls: [await listen('closing', server)], token: 'asks' });
    let isOver = false;
    const asking = (async () => {
      while (!isOver) await remote.check();
    })();
    await isBusy;
    await new Promise<void>((done) => {
      server.close(() => done());
      server.closeIdleConnections();
    });
    isOver = true;
    await asking;
    remote.close();
  });
});

describe('an answer that does not come from the signer is unknown, and never a refusal', () => {
  it.each<[string, RequestListener]>([
    ['silence', () => {}],
    ['a broken connection', (_, response) => response.destroy()],
    ['a redirect', (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()],
    ['a page', (_, response) => response.end('<html>')],
    [
      'an endless answer',
      (_, response) => {
        const timer = setInterval(() => response.write('x'.repeat(200_000)), 5);
        response.on('close', () => clearInterval(timer));
      },
    ],
  ])('%s', async (name, answer) => {
    const broken = await serve(name.replaceAll(' ', ''), answer);
    const remote = remoteSigner({ urls: [broken], token: 't', timeoutMs: 2_000 });
    expect(await remote.makeWallet(USER)).toMatchObject({ outcome: 'unknown' });
    remote.close();
    // With a second URL, the next signer is asked.
    const both = remoteSigner({ urls: [broken, url], token: 'of-the-server', timeoutMs: 2_000 });
    expect(await both.makeWallet(USER)).toMatchObject({ outcome: 'accepted' });
    both.close();
  });

  it('an answer that stops after its head is not requested a second time', async () => {
    let calls = 0;
    const stalling = await serve('stalling', (_, response) => {
      calls += 1;
      response.writeHead(200, { 'content-length': 100 });
      response.write('{');
    });
    const remote = remoteSigner({ urls: [stalling], token: 't', timeoutMs: 500 });
    const first = await remote.makeWallet(USER);
    expect(first).toMatchObject({ outcome: 'unknown', cause: { message: expect.stringMatching(/within 500 ms/) } });
    expect(calls).toBe(1);
    remote.close();
  });

  it('nothing listens', async () => {
    const remote = remoteSigner({ urls: [`unix:${join(folder, 'nobody')}`], token: 't' });
    expect(await remote.check()).toMatchObject({ outcome: 'unknown' });
    remote.close();
  });
});
