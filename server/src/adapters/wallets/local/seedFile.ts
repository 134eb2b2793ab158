/**
 * `adapters/wallets` keeps keys. The local adapter derives every key from one HD seed. The seed is in a file, encrypted
 * with AES-256-GCM under a key that scrypt makes from a secret in the environment: a thief needs both the file and the
 * secret, and a database backup contains neither.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const SEED_BYTES = 64;
/** About 60 ms and 32 MiB, once per start; expensive for an attacker who tries many secrets. */
const SCRYPT = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 2 ** 20 };
const AAD = Buffer.from('florin wallet seed v1');

interface SealedSeed {
  readonly version: 1;
  readonly kdf: 'scrypt';
  readonly salt: string;
  readonly iv: string;
  readonly tag: string;
  readonly sealed: string;
}

/** Makes a new seed unless the file exists. Two processes that start at once end up with one file. */
export async function createSeedFile(path: string, secret: string): Promise<void> {
  const salt = randomBytes(16);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', await deriveKey(secret, salt), iv).setAAD(AAD);
  const sealed = Buffer.concat([cipher.update(randomBytes(SEED_BYTES)), cipher.final()]);
  const file: SealedSeed = {
    version: 1,
    kdf: 'scrypt',
    salt: salt.toString('base64'),
    iv: iv.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    sealed: sealed.toString('base64'),
  };
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`;
  await writeFile(draft, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600, flush: true });
  // link() never replaces a file: the first writer wins, and no reader sees half a file.
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await unlink(draft);
}

/** Throws an Error for the operator; it never contains the secret or any part of the seed. */
export async function readSeedFile(path: string, secret: string): Promise<Uint8Array> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`the wallet seed file cannot be read (${error.code}): ${path}`);
  });
  const { salt, iv, tag, sealed } = parseSealedSeed(text, path);
  try {
    const decipher = createDecipheriv('aes-256-gcm', await deriveKey(secret, salt), iv)
      .setAAD(AAD)
      .setAuthTag(tag);
    return Buffer.concat([decipher.update(sealed), decipher.final()]);
  } catch {
    throw new Error(`the wallet seed file does not open with this FLORIN_WALLET_SECRET: ${path}`);
  }
}

function parseSealedSeed(text: string, path: string): Record<'salt' | 'iv' | 'tag' | 'sealed', Buffer> {
  try {
    const file = JSON.parse(text) as SealedSeed;
    if (file.version !== 1 || file.kdf !== 'scrypt') throw new Error();
    const [salt, iv, tag, sealed] = [file.salt, file.iv, file.tag, file.sealed].map((part) =>
      Buffer.from(part, 'base64'),
    ) as [Buffer, Buffer, Buffer, Buffer];
    if (iv.length !== 12 || tag.length !== 16 || sealed.length !== SEED_BYTES) throw new Error();
    return { salt, iv, tag, sealed };
  } catch {
    throw new Error(`the wallet seed file is damaged or of another version: ${path}`);
  }
}

const deriveKey = (secret: string, salt: Buffer): Promise<Buffer> =>
  promisify<string, Buffer, number, typeof SCRYPT, Buffer>(scrypt)(secret, salt, 32, SCRYPT);
