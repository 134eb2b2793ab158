import { PayError } from '../../../core/errors.ts';
import { parseUsdc, type Usdc } from '../../../core/money.ts';
import { createAccountKey, listAccountKeys, revokeAccountKey } from '../../../customers/keys/accountKeys.ts';
import type { AccountScope } from '../../../customers/keys/serviceKeys.ts';
import type { Caller } from '../../../customers/sessions/sessions.ts';
import type { Db } from '../../../db/database.ts';
import { renderAccountKey } from '../../answers/renderAccountKey.ts';
import { parseRanges } from '../../connections/findAddress.ts';
import type { JsonNumber } from '../../contract/json.ts';
import type { Operation } from '../../contract/operation.ts';
import { getRequiredCaller } from '../authorize.ts';

interface NewKeyBody {
  readonly name: string;
  readonly scopes: readonly AccountScope[];
  readonly payment_limit: JsonNumber | null;
  readonly day_limit: JsonNumber | null;
  readonly month_limit: JsonNumber | null;
  readonly addresses: readonly string[] | null;
  readonly expires_at: string | null;
}

const refuse = (reason: string) => new PayError('key.invalid', { reason });

export const createAccountKeyOperation =
  ({ db }: { readonly db: Db }): Operation =>
  async (call) => {
    const caller = getRequiredCaller(call.caller as Caller | undefined);
    const wanted = parseKey(call.body as unknown as NewKeyBody);
    const { key, created } = await db.tx((tx) => createAccountKey(tx, caller, wanted));
    return { body: { ...renderAccountKey(created), key } };
  };

function parseKey({ name, scopes, addresses, expires_at: expires, ...given }: NewKeyBody) {
  const expiresAt = expires === null ? null : new Date(expires);
  if (expiresAt && expiresAt.getTime() <= Date.now()) throw refuse('`expires_at` is not in the future');
  const limits = { payment: parse(given.payment_limit), day: parse(given.day_limit), month: parse(given.month_limit) };
  const pays = scopes.includes('pay') || scopes.includes('payouts');
  if (pays && (limits.payment === null || limits.day === null))
    throw refuse('a key that pays needs `payment_limit` and `day_limit`');
  if (name.trim() === '') throw refuse('the name is empty');
  return {
    name: name.trim(),
    scopes: [...new Set(scopes)],
    limits,
    addresses: addresses && parseAddresses(addresses),
    expiresAt,
  };
}

const parse = (number: JsonNumber | null): Usdc | null => (number ? parseUsdc(number.source) : null);

/** IPv6 clients are identified by their /64 network, so a narrower range would contain no client. */
function parseAddresses(texts: readonly string[]): readonly string[] {
  for (const text of texts) {
    try {
      parseRanges([text]);
    } catch (error) {
      throw refuse((error as Error).message);
    }
    if (text.includes(':') && Number(text.split('/')[1] ?? 128) > 64) throw refuse(`"${text}" is narrower than /64`);
  }
  return texts;
}

export const listAccountKeysOperation =
  ({ db }: { readonly db: Db }): Operation =>
  async (call) => {
    const { userId } = getRequiredCaller(call.caller as Caller | undefined);
    return { body: { keys: (await listAccountKeys(db, userId)).map(renderAccountKey) } };
  };

export const revokeAccountKeyOperation =
  ({ db }: { readonly db: Db }): Operation =>
  async (call) => {
    const { userId } = getRequiredCaller(call.caller as Caller | undefined);
    const keyId = call.params.key_id!;
    await db.tx((tx) => revokeAccountKey(tx, userId, keyId));
    return { body: { success: true, key_id: keyId } };
  };
