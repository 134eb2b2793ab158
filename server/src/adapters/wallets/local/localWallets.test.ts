import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAddress } from 'viem/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { derivePath, localWallets } from './localWallets.ts';
import { addSecret, createSeedFile, keepOnlySecret, readSeedFile } from './seedFile.ts';

const alice = { kind: 'user', issuer: 'https://issuer.example', subject: 'alice' } as const;
const bob = { ...alice, subject: 'bob' } as const;

describe('local wallets', () => {
  const wallets = localWallets(Buffer.alloc(64, 7));

  it('give the same owner the same address forever', async () => {
    expect(await wallets.create(alice)).toMatchInlineSnapshot(`
      {
        "address": "0x70787040C8f26C334478D88b1432FE0b681F02c9",
        "family": "evm",
        "provider": "local",
        "reference": "m/44'/60'/2105716420'/1918761566'/990063218'/1750168828'",
      }
    `);
    expect(await localWallets(Buffer.alloc(64, 7)).create(alice)).toEqual(await wallets.create(alice));
  });

  it('give different owners, issuers and seeds different addresses', async () => {
    const other = localWallets(Buffer.alloc(64, 8));
    const all = await Promise.all([
      wallets.create(alice),
      wallets.create(bob),
      wallets.create({ ...alice, issuer: 'https://issuer.exampl', subject: 'ealice' }),
      wallets.create({ kind: 'treasury' }),
      other.create(alice),
    ]);
    expect(new Set(all.map((wallet) => wallet.address)).size).toBe(all.length);
    expect(all.every((wallet) => isAddress(wallet.address))).toBe(true);
    expect(other.fingerprint).not.toBe(wallets.fingerprint);
  });

  it('derive a path with four hardened levels below m/44h/60h', () => {
    expect(derivePath(alice)).toMatch(/^m\/44'\/60'(\/\d+'){4}$/);
  });
});

describe('the seed file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'florin-seed-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is created once, private, and opens only with its secret', async () => {
    const path = join(folder, 'seed.json');
    await Promise.all([createSeedFile(path, 'right'), createSeedFile(path, 'right')]);
    const seed = await readSeedFile(path, 'right');
    expect(seed).toHaveLength(64);
    await createSeedFile(path, 'right');
    expect(await readSeedFile(path, 'right')).toEqual(seed);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['seed.json']);
    expect(await readFile(path, 'utf8')).not.toContain(Buffer.from(seed).toString('base64'));
    await expect(readSeedFile(path, 'wrong')).rejects.toThrow(/does not open/);
  });

  it('opens with an old and a new secret during a rotation, and then with the new one alone', async () => {
    const path = join(folder, 'exchanged.json');
    await createSeedFile(path, 'old');
    const seed = await readSeedFile(path, 'old');
    await expect(addSecret(path, 'wrong', 'new')).rejects.toThrow(/does not open/);
    await addSecret(path, 'old', 'new');
    await addSecret(path, 'old', 'new');
    expect(await readSeedFile(path, 'old')).toEqual(seed);
    expect(await readSeedFile(path, 'new')).toEqual(seed);
    await expect(addSecret(path, 'new', 'third')).rejects.toThrow(/already opens with 2 secrets/);
    await keepOnlySecret(path, 'new');
    await keepOnlySecret(path, 'new');
    expect(await readSeedFile(path, 'new')).toEqual(seed);
    await expect(readSeedFile(path, 'old')).rejects.toThrow(/does not open/);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readdir(folder)).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  it('fails with a clear error when it is damaged or missing', async () => {
    const path = join(folder, 'damaged.json');
    await writeFile(path, '{"version":1}');
    await expect(readSeedFile(path, 'x')).rejects.toThrow(/damaged/);
    await expect(readSeedFile(join(folder, 'none.json'), 'x')).rejects.toThrow(/ENOENT/);
  });
});
