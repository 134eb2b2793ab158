import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { findFolderFault } from '../fault.ts';
import { writePrivateFile } from '../writePrivateFile.ts';

/** Stored with the data, so that ID tokens stay valid across restarts. */
export async function readSigningKey(file: string): Promise<JWK> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as JWK;
  } catch (error) {
    // Missing, or cut short by a full disk: a new key only makes today's ID tokens invalid.
    const isLost = (error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError;
    if (!isLost) throw findFolderFault(error, dirname(file)) ?? error;
  }
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  const key = { ...jwk, alg: 'ES256', use: 'sig', kid: await calculateJwkThumbprint(jwk) };
  writePrivateFile(file, JSON.stringify(key));
  return key;
}
