/** PostgreSQL verifies the signatures of passkeys itself: it and OpenSSL agree about valid and changed ones. */
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { makePasskey, toCose } from '../support/people/softPasskey.ts';
import { howMany } from '../support/run/thorough.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(database.adminUrl, { maxConnections: 2 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const ask = async (sql: string, ...values: unknown[]): Promise<boolean> =>
  (await db.query<{ is: boolean }>(`SELECT ${sql} AS is`, values))[0]!.is;
const point = (cose: Buffer) => Buffer.concat([cose.subarray(10, 42), cose.subarray(45)]);
const P = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

describe('ES256', () => {
  const check = (key: Buffer, message: Buffer, signature: Buffer) =>
    ask('verify_es256($1, $2, $3)', key, message, signature);

  it('agrees with OpenSSL about signatures, and about each after one byte has changed', async () => {
    for (let n = 0; n < howMany(4, 60); n++) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const key = point(toCose(publicKey));
      const message = Buffer.from(`message ${n}`);
      const signature = sign('sha256', message, privateKey);
      expect(await check(key, message, signature)).toBe(true);
      expect(await check(key, Buffer.from('another'), signature)).toBe(false);
      const changed = Buffer.from(signature);
      const at = (n * 7) % changed.length;
      changed[at]! ^= 1 << (n % 8);
      expect(await check(key, message, changed)).toBe(verify('sha256', message, publicKey, changed));
      const moved = Buffer.from(key);
      moved[n % 64]! ^= 1;
      // Not a point of the curve.
      expect(await check(moved, message, signature)).toBe(false);
    }
  });

  // The keys of 1·G, 2·G and (n - 1)·G: G + Q is 2·G, an ordinary point, or infinity.
  it.each([1n, 2n, N - 1n, N - 2n])('adds equal and opposite points: private key %s', async (d) => {
    const part = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
    const { createECDH, createPrivateKey } = await import('node:crypto');
    const ecdh = createECDH('prime256v1');
    ecdh.setPrivateKey(part(d));
    const raw = ecdh.getPublicKey();
    const [x, y] = [raw.subarray(1, 33), raw.subarray(33)];
    const jwk = { kty: 'EC', crv: 'P-256', d: part(d).toString('base64url') };
    const publicPart = { x: x.toString('base64url'), y: y.toString('base64url') };
    const privateKey = createPrivateKey({ key: { ...jwk, ...publicPart }, format: 'jwk' });
    const publicKey = createPublicKey(privateKey);
    for (let n = 0; n < 3; n++) {
      const message = Buffer.from(`message ${n}`);
      const signature = sign('sha256', message, privateKey);
      expect(verify('sha256', message, publicKey, signature)).toBe(true);
      expect(await check(Buffer.concat([x, y]), message, signature)).toBe(true);
    }
  });

  const der = (r: bigint, s: bigint): Buffer => {
    const integer = (value: bigint) => {
      let hex = value.toString(16);
      if (hex.length % 2) hex = `0${hex}`;
      if (Number.parseInt(hex.slice(0, 2), 16) > 127) hex = `00${hex}`;
      return Buffer.concat([Buffer.from([2, hex.length / 2]), Buffer.from(hex, 'hex')]);
    };
    const body = Buffer.concat([integer(r), integer(s)]);
    return Buffer.concat([Buffer.from([0x30, body.length]), body]);
  };
  it.each([
    [0n, 1n],
    [1n, 0n],
    [N, 1n],
    [1n, N],
    [N + 1n, 1n],
    [P, 1n],
    [1n, 1n],
    [0n, 0n],
  ])('refuses r = %s, s = %s', async (r, s) => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(await check(point(toCose(publicKey)), Buffer.from('x'), der(r, s))).toBe(false);
  });

  it('refuses malformed signatures', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = point(toCose(publicKey));
    const message = Buffer.from('x');
    const good = sign('sha256', message, privateKey);
    for (let cut = 0; cut < good.length; cut += 3) expect(await check(key, message, good.subarray(0, cut))).toBe(false);
    expect(await check(key, message, Buffer.concat([good, Buffer.from([0])]))).toBe(false);
    for (const at of [0, 1, 2, 3, 4 + good[3]!, 5 + good[3]!]) {
      for (const value of [0, 1, 127, 128, 255]) {
        if (good[at] === value) continue;
        const bad = Buffer.from(good);
        bad[at] = value;
        expect(await check(key, message, bad)).toBe(false);
      }
    }
  });
});

it('RS256: agrees with OpenSSL, and refuses a changed signature, message or key', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const modulus = toCose(publicKey).subarray(11, 267);
  const message = Buffer.from('message');
  const signature = sign('sha256', message, privateKey);
  const check = (...values: Buffer[]) => ask('verify_rs256($1, $2, $3)', ...values);
  expect(await check(modulus, message, signature)).toBe(true);
  expect(await check(modulus, Buffer.from('other'), signature)).toBe(false);
  for (const at of [0, 100, 255]) {
    const bad = Buffer.from(signature);
    bad[at]! ^= 1;
    expect(await check(modulus, message, bad)).toBe(false);
    const other = Buffer.from(modulus);
    other[at]! ^= 2;
    expect(await check(other, message, signature)).toBe(false);
  }
  expect(await check(modulus, message, signature.subarray(1))).toBe(false);
  // The signature plus the modulus is the same number modulo it, but no signature.
  const sum = BigInt(`0x${signature.toString('hex')}`) + BigInt(`0x${modulus.toString('hex')}`);
  if (sum < 1n << 2048n) expect(await check(modulus, message, Buffer.from(sum.toString(16), 'hex'))).toBe(false);
});

describe('what a browser returns', () => {
  const origin = 'https://wallet.example.com';
  const challenge = Buffer.from([...Array(32).keys()].map((n) => n * 8 + 3));
  const text = challenge.toString('base64url');
  const rp = `sha256(convert_to('wallet.example.com', 'UTF8'))`;
  const decode = (part: string) => Buffer.from(part, 'base64url');

  it.each(['ES256', 'RS256'] as const)('is accepted, and refused with anything else in it: %s', async (algorithm) => {
    const passkey = makePasskey({ origin, algorithm });
    const check = (changes: Parameters<typeof passkey.sign>[1]) => {
      const { response } = passkey.sign({ challenge: text }, changes);
      const { clientDataJSON, authenticatorData, signature } = response;
      const parts = [clientDataJSON, authenticatorData, signature].map(decode);
      return ask(`verify_passkey($1, ${rp}, $2, $3, $4, $5)`, passkey.cose, challenge, ...parts);
    };
    expect(await check({})).toBe(true);
    for (const changes of [
      { type: 'webauthn.create' },
      { challenge: Buffer.alloc(32).toString('base64url') },
      { challenge: challenge.toString('base64') },
      { rpId: 'example.com' },
      { crossOrigin: true },
      { flags: 0x01 },
      { flags: 0x04 },
      { flags: 0x00 },
    ])
      expect([changes, await check(changes)]).toEqual([changes, false]);
  });

  it('is refused if it is not JSON or not UTF-8', async () => {
    const passkey = makePasskey({ origin });
    for (const client of ['{', 'null', '[]', '"x"', ''].map((one) => Buffer.from(one)).concat(Buffer.from([255])))
      expect(
        await ask(
          `verify_passkey($1, ${rp}, $2, $3, $4, $5)`,
          passkey.cose,
          challenge,
          client,
          Buffer.alloc(37),
          client,
        ),
      ).toBe(false);
  });
});
