/**
 * `adapters/wallets` holds keys. The local adapter derives every key from one HD seed. The seed is in a file, encrypted
 * with AES-256-GCM under a key that scrypt derives from a secret in the environment: a thief needs both the file and
 * the secret, and a database backup contains neither.
 *
 * During a rotation of the secret, the file contains the seed twice, sealed with the old secret and with the new one,
 * so that a signer can start with either.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { link, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const SEED_BYTES = 64;
/** About 60 ms and 32 MiB, once per start. Expensive for an attacker who tries many secrets. */
const SCRYPT = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 2 ** 20 };
const AAD = Buffer.from('florin wallet seed v1');
const MAX_SEALS = 2;

/** All in base64. */
interface Seal {
  readonly salt: string;
  readonly iv: string;
  readonly tag: string;
  readonly sealed: string;
}

/** Version 1 has one seal, next to version and kdf. */
type SealedSeed =
  | ({ readonly version: 1; readonly kdf: 'scrypt' } & Seal)
  | { readonly version: 2; readonly kdf: 'scrypt'; readonly seals: readonly Seal[] };

/** Creates a new seed unless the file exists. Two processes that start concurrently end up with one file. */
export async function createSeedFile(path: string, secret: string): Promise<void> {
  const draft = await writeDraft(path, [await close(randomBytes(SEED_BYTES), secret)]);
  // link() never replaces a file: the first writer wins, and no reader sees half a file.
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await unlink(draft);
}

/** Throws an Error for the operator. It never contains the secret or any part of the seed. */
export async function readSeedFile(path: string, secret: string): Promise<Uint8Array> {
  return (await open(path, secret)).seed;
}

/** Lets the file open with `next` too. Safe to repeat. */
export async function addSecret(path: string, secret: string, next: string): Promise<void> {
  const { seed, seals } = await open(path, secret);
  if (await findSeal(seals, next)) return;
  if (seals.length >= MAX_SEALS)
    throw new Error(
      `the wallet seed file already opens with ${seals.length} secrets; remove the old one first: ${path}`,
    );
  await rename(await writeDraft(path, [...seals, await close(seed, next)]), path);
}

/** Lets the file open with this secret only. Safe to repeat. */
export async function keepOnlySecret(path: string, secret: string): Promise<void> {
  const { seals, index } = await open(path, secret);
  if (seals.length > 1) await rename(await writeDraft(path, [seals[index]!]), path);
}

async function open(path: string, secret: string) {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`the wallet seed file cannot be read (${error.code}): ${path}`);
  });
  const seals = parseSeals(text, path);
  const found = await findSeal(seals, secret);
  if (!found) throw new Error(`the wallet seed file does not open with this FLORIN_WALLET_SECRET: ${path}`);
  return { ...found, seals };
}

async function findSeal(seals: readonly Seal[], secret: string) {
  for (const [index, { salt, iv, tag, sealed }] of seals.entries()) {
    try {
      const decipher = createDecipheriv('aes-256-gcm', await deriveKey(secret, toBytes(salt)), toBytes(iv))
        .setAAD(AAD)
        .setAuthTag(toBytes(tag));
      return { index, seed: Buffer.concat([decipher.update(toBytes(sealed)), decipher.final()]) };
    } catch {
      // Sealed with another secret.
    }
  }
  return undefined;
}

async function close(seed: Uint8Array, secret: string): Promise<Seal> {
  const salt = randomBytes(16);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', await deriveKey(secret, salt), iv).setAAD(AAD);
  const sealed = Buffer.concat([cipher.update(seed), cipher.final()]);
  const [text, tag] = [sealed.toString('base64'), cipher.getAuthTag().toString('base64')];
  return { salt: salt.toString('base64'), iv: iv.toString('base64'), tag, sealed: text };
}

/** One seal is written as version 1, which every release can read. */
async function writeDraft(path: string, seals: readonly Seal[]): Promise<string> {
  const [first] = seals;
  const file: SealedSeed =
    seals.length === 1 && first ? { version: 1, kdf: 'scrypt', ...first } : { version: 2, kdf: 'scrypt', seals };
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`;
  await writeFile(draft, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600, flush: true });
  return draft;
}

function parseSeals(text: string, path: string): readonly Seal[] {
  try {
    const file = JSON.parse(text) as SealedSeed;
    const seals = file.version === 1 ? [file] : file.seals;
    if ((file.version !== 1 && file.version !== 2) || file.kdf !== 'scrypt' || seals.length === 0) throw new Error();
    return seals.map(({ salt, iv, tag, sealed }) => {
      const lengths = [iv, tag, sealed].map((part) => toBytes(part).length);
      if (lengths.join() !== [12, 16, SEED_BYTES].join()) throw new Error();
      return { salt, iv, tag, sealed };
    });
  } catch {
    throw new Error(`the wallet seed file is damaged or has an unknown version: ${path}`);
  }
}

const toBytes = (base64: string): Buffer => Buffer.from(base64, 'base64');

const deriveKey = (secret: string, salt: Buffer): Promise<Buffer> =>
  promisify<string, Buffer, number, typeof SCRYPT, Buffer>(scrypt)(secret, salt, 32, SCRYPT);
