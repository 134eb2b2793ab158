/**
 * A login between the redirect to the issuer and the return to `/callback`. The browser keeps it in a cookie, sealed
 * with a secret of all servers, so that only logins that a server has begun reach the issuer.
 */
import { createHmac } from 'node:crypto';
import { isSameSecret } from '../../core/isSameSecret.ts';
import { findLoginSecret, getLoginSecret } from '../../customers/login/loginSecrets.ts';
import type { Db } from '../../db/database.ts';

export interface LoginUnderWay {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The path that the person opened. */
  readonly to: string;
  readonly endsAtMs: number;
}

interface LoginApp {
  readonly db: Db;
}

/** The id of the secret, the login, and the code that authenticates both. */
const SEALED = /^((\d{1,18})\.([\w-]{1,3400}))\.([\w-]{43})$/;

interface LoginSecret {
  readonly secretId: string;
  readonly secret: Buffer;
}

export const sealLogin = async (app: LoginApp, login: LoginUnderWay): Promise<string> =>
  seal(await getLoginSecret(app), login);

/** Undefined if no server has sealed it, or if the login took too long. */
export const unsealLogin = (app: LoginApp, sealed: string): Promise<LoginUnderWay | undefined> =>
  unseal((secretId) => findLoginSecret(app.db, secretId), sealed);

export function seal({ secretId, secret }: LoginSecret, login: LoginUnderWay): string {
  const content = `${secretId}.${Buffer.from(JSON.stringify(login)).toString('base64url')}`;
  return `${content}.${authenticate(secret, content).toString('base64url')}`;
}

export async function unseal(
  findSecret: (secretId: string) => Promise<Buffer | undefined>,
  sealed: string,
): Promise<LoginUnderWay | undefined> {
  const [, content = '', secretId = '', login = '', code = ''] = SEALED.exec(sealed) ?? [];
  if (content === '') return undefined;
  const secret = await findSecret(secretId);
  if (!secret || !isSameSecret(Buffer.from(code, 'base64url'), authenticate(secret, content))) return undefined;
  const read = JSON.parse(Buffer.from(login, 'base64url').toString('utf8')) as LoginUnderWay;
  return read.endsAtMs > Date.now() ? read : undefined;
}

const authenticate = (secret: Buffer, content: string): Buffer =>
  createHmac('sha256', secret).update(`wallet login ${content}`).digest();
