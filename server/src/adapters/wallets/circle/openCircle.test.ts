import { constants, generateKeyPairSync, type KeyObject, privateDecrypt } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listen } from '../../../../../test/support/http/listen.ts';
import { type Circle, type CircleRequest, openCircle } from './openCircle.ts';

const SECRET = Buffer.alloc(32, 0xa7);
const API_KEY = 'TEST_API_KEY:0f1e2d3c:hunter2hunter2hunter2';
const KEY_PATH = '/v1/w3s/config/entity/publicKey';

interface Asked {
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, string>;
}

/** Returns the answer that `next` gives, and serves its public key. */
let asked: Asked[];
let keyPair: { publicKey: KeyObject; privateKey: KeyObject };
let other: typeof keyPair;
let server: Server;
let respond: (response: ServerResponse, request: Asked) => void;

const say = (status: number, body: unknown) => (response: ServerResponse) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

async function open(next: typeof respond, timeoutMs = 20_000): Promise<Circle> {
  asked = [];
  respond = next;
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString();
      const one = {
        line: `${request.method} ${request.url}`,
        headers: request.headers,
        body: JSON.parse(text || '{}'),
      };
      asked.push(one);
      const publicKey = keyPair.publicKey.export({ type: 'spki', format: 'pem' });
      if (request.url === KEY_PATH) say(200, { data: { publicKey } })(response);
      else respond(response, one);
    });
  });
  return openCircle({
    url: `http://127.0.0.1:${await listen(server)}`,
    apiKey: API_KEY,
    entitySecret: SECRET,
    timeoutMs,
  });
}

const READ: CircleRequest = { method: 'GET', path: '/v1/w3s/wallets', query: { refId: 'a b' }, attempts: 3 };
const SIGN: CircleRequest = {
  method: 'POST',
  path: '/v1/w3s/developer/sign/typedData',
  body: { walletId: 'w', data: '{}' },
  isSealed: true,
  attempts: 1,
};
const unseal = (text: string, { privateKey } = keyPair) =>
  privateDecrypt(
    { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
    Buffer.from(text, 'base64'),
  );

beforeAll(() => {
  // Small keys, because they are generated quickly.
  keyPair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  other = generateKeyPairSync('rsa', { modulusLength: 2048 });
});
afterEach(
  () =>
    new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    }),
);

describe('a request to Circle', () => {
  it('has the key, the query, and the content type also without a body', async () => {
    const circle = await open(say(200, { data: { wallets: [] } }));
    expect(await circle.ask(READ)).toEqual({ outcome: 'accepted', data: { wallets: [] } });
    expect(asked).toMatchObject([
      {
        line: 'GET /v1/w3s/wallets?refId=a+b',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      },
    ]);
  });

  it('encrypts the secret again each time, for a public key that is fetched once', async () => {
    const circle = await open(say(201, { data: { signature: '0x' } }));
    await Promise.all([circle.ask(SIGN), circle.ask(SIGN), circle.ask(SIGN)]);
    const signs = asked.filter(({ line }) => line.startsWith('POST'));
    expect(asked.filter(({ line }) => line.includes(KEY_PATH))).toHaveLength(1);
    expect(new Set(signs.map(({ body }) => body.entitySecretCiphertext)).size).toBe(3);
    for (const { body } of signs) expect(unseal(body.entitySecretCiphertext!)).toEqual(SECRET);
    expect(Object.keys(signs[0]!.body).sort()).toEqual(['data', 'entitySecretCiphertext', 'walletId']);
  });

  it('that Circle cannot decrypt is encrypted again, once each, for the current key', async () => {
    const old = keyPair;
    const circle = await open((response, { body }) => {
      const isReadable = attempt(() => unseal(body.entitySecretCiphertext!).length === 32);
      say(isReadable ? 200 : 400, isReadable ? { data: 1 } : { code: 156013, message: 'no' })(response);
    });
    await circle.ask(SIGN);
    keyPair = other;
    const answers = await Promise.all([circle.ask(SIGN), circle.ask(SIGN), circle.ask(SIGN)]);
    expect(answers).toEqual(answers.map(() => ({ outcome: 'accepted', data: 1 })));
    const used = asked.flatMap(({ body }) => body.entitySecretCiphertext ?? []);
    expect(new Set(used).size).toBe(used.length);
    // The key was requested at the start and once more, whichever request noticed first.
    expect(asked.filter(({ line }) => line.includes(KEY_PATH))).toHaveLength(2);
    keyPair = old;
  });

  it.each([
    ['whose ciphertext Circle has seen before may have taken effect, so it is not sent again', 156004],
    ['that Circle also refuses under the current key is not sent again', 156013],
  ])('%s', async (_, code) => {
    const circle = await open(say(400, { code, message: 'no' }));
    expect(await circle.ask(SIGN)).toMatchObject({ outcome: 'unknown', cause: { code } });
    expect(asked.filter(({ line }) => line.startsWith('POST'))).toHaveLength(1);
  });

  it('shows none of our key when Circle quotes it in its answer, wherever that is cut', async () => {
    const words = `${'x'.repeat(140)} ${API_KEY}`;
    const circle = await open(say(400, { code: 2, message: words }));
    const answer = await circle.ask(SIGN);
    expect(answer).toMatchObject({ outcome: 'rejected', reason: 'Circle refused it (code 2)' });
    const cause = 'cause' in answer ? answer.cause.message : '';
    for (let i = 4; i < API_KEY.length; i++) expect(cause).not.toContain(API_KEY.slice(-i));
  });

  it('is repeated unchanged, with its idempotency key, while Circle does not decide', async () => {
    let times = 0;
    const circle = await open((response) => {
      times++;
      if (times === 1) response.destroy();
      else if (times === 2) say(503, 'not now')(response);
      else say(201, { data: { ok: true } })(response);
    });
    const body = { idempotencyKey: '3d1c8f52-7f3f-4f4e-8a53-0c8d4a6f1e11', count: 1 };
    const answer = await circle.ask({ ...SIGN, path: '/v1/w3s/developer/wallets', body, attempts: 3 });
    expect(answer.outcome).toBe('accepted');
    const posts = asked.filter(({ line }) => line.startsWith('POST'));
    expect(posts.map(({ body: { idempotencyKey, count } }) => ({ idempotencyKey, count }))).toEqual([body, body, body]);
    expect(new Set(posts.map(({ body: { entitySecretCiphertext } }) => entitySecretCiphertext)).size).toBe(3);
  });

  it('follows no redirect, which would send the key to another host', async () => {
    const circle = await open((response) => void response.writeHead(307, { location: '/v1/w3s/elsewhere' }).end());
    expect((await circle.ask({ ...READ, attempts: 1 })).outcome).toBe('unknown');
    expect(asked).toHaveLength(1);
  });
});

describe('Circle’s answer', () => {
  it.each([
    [400, 2, 'rejected'],
    [404, 156001, 'rejected'],
    [400, 155501, 'rejected'],
    [409, 156020, 'unknown'],
    [400, -1, 'unknown'],
    [401, 401, 'unknown'],
    [403, 3, 'unknown'],
    [400, 156013, 'unknown'],
    [400, 156006, 'unknown'],
    [429, 429, 'unknown'],
    [500, 500, 'unknown'],
  ])('%i with code %i is %s', async (status, code, outcome) => {
    const circle = await open(say(status, { code, message: 'because' }));
    expect((await circle.ask(SIGN)).outcome).toBe(outcome);
  });

  it.each<[string, typeof respond]>([
    ['no JSON', (response) => void response.writeHead(200).end('<html>')],
    ['no data', say(200, { error: 1 })],
    ['null', say(200, null)],
    ['too much', (response) => void response.writeHead(200).end(Buffer.alloc(2_000_000, 32))],
  ])('is unknown when it is %s', async (_, answer) => {
    const circle = await open(answer);
    expect((await circle.ask({ ...READ, attempts: 1 })).outcome).toBe('unknown');
  });

  it('is unknown when it does not come', async () => {
    const circle = await open(() => {}, 150);
    expect((await circle.ask(READ)).outcome).toBe('unknown');
  });

  it('never shows the key or the secret, whatever goes wrong, not even when Circle quotes it', async () => {
    const quoting = { code: 2, message: `bad key ${API_KEY}` };
    const faults: (typeof respond)[] = [say(400, quoting), say(500, quoting), (response) => void response.destroy()];
    for (const fault of faults) {
      const circle = await open(fault);
      const shown = inspect(await circle.ask(SIGN), { depth: 20, showHidden: true });
      const hex = SECRET.toString('hex');
      for (const secret of ['hunter2', hex, SECRET.toString('base64')]) expect(shown).not.toContain(secret);
      const sealed = asked.find(({ body }) => body.entitySecretCiphertext)!.body.entitySecretCiphertext!;
      expect(shown).not.toContain(sealed);
      server.close();
      server.closeAllConnections();
    }
  });
});

function attempt(work: () => boolean): boolean {
  try {
    return work();
  } catch {
    return false;
  }
}
