import { type ErrorCode, PayError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { Usdc } from '../../core/money.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import type { Caller } from '../sessions/sessions.ts';
import type { Assertion } from './verifyPasskey.ts';

/** What a person confirms with a passkey. `ask_for_passkey.sql` lists the forms in which PostgreSQL compares it. */
export type Deed =
  | { readonly do: 'register' | 'add' | 'key' }
  | { readonly do: 'remove'; readonly passkey: string }
  | { readonly do: 'rule'; readonly above: Usdc | null }
  | { readonly do: 'pay' | 'send'; readonly payment: string; readonly to: string; readonly amount: Usdc }
  | { readonly do: 'payout'; readonly payout: string; readonly total: bigint };

export interface Challenge {
  readonly challengeId: string;
  readonly challenge: Buffer;
  readonly expiresAt: Date;
  /** The passkeys of the account. */
  readonly passkeys: readonly { readonly credential: Buffer; readonly transports: readonly string[] }[];
}

interface Asked {
  readonly code?: ErrorCode;
  readonly details?: Readonly<Record<string, string>>;
  readonly challenge: string;
  readonly expires_at: string;
  readonly passkeys: readonly { readonly credential: string; readonly transports: readonly string[] }[];
}

const encode = (deed: Deed): string =>
  JSON.stringify(deed, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

export async function askForPasskey(tx: Tx, { userId, sessionId }: Caller, deed: Deed): Promise<Challenge> {
  const challengeId = newId();
  const [row] = await tx.query<{ said: Asked }>('SELECT ask_for_passkey($1, $2, $3, $4) AS said', [
    userId,
    sessionId,
    challengeId,
    encode(deed),
  ]);
  const { code, details, challenge, expires_at: expires, passkeys } = row!.said;
  if (code) throw new PayError(code, details);
  return {
    challengeId,
    challenge: Buffer.from(challenge, 'hex'),
    expiresAt: new Date(expires),
    passkeys: passkeys.map((one) => ({ ...one, credential: Buffer.from(one.credential, 'hex') })),
  };
}

interface OpenChallenge {
  readonly challenge: Buffer;
  readonly publicKey: Buffer | null;
  readonly counter: number;
}

/** The challenge, and the passkey with this credential if it is one of the caller's. */
export async function getChallenge(
  db: Queryable,
  { userId, sessionId }: Caller,
  challengeId: string,
  credential: Buffer,
): Promise<OpenChallenge> {
  const [row] = await db.query<{ challenge: Buffer; public_key: Buffer | null; counter: string | null }>(
    `SELECT c.challenge, k.public_key, k.counter::text AS counter
       FROM passkey_challenges c LEFT JOIN passkeys k ON k.user_id = c.user_id AND k.credential = $4
      WHERE c.challenge_id = $1 AND c.user_id = $2 AND c.session_id = $3 AND c.expires_at > now()
        AND c.proved_at IS NULL AND c.used_at IS NULL`,
    [challengeId, userId, sessionId, credential],
  );
  if (!row) throw new PayError('passkey.challenge_unknown');
  return { challenge: row.challenge, publicKey: row.public_key, counter: Number.parseInt(row.counter ?? '0', 10) };
}

/** PostgreSQL verifies the signature itself: nothing that this process says makes a proof. */
export async function proveWithPasskey(
  tx: Tx,
  { userId, sessionId }: Caller,
  challengeId: string,
  { credential, clientData, authenticatorData, signature }: Assertion,
): Promise<void> {
  const [row] = await tx.query<{ refusal: { code: ErrorCode; details: Record<string, string> } | null }>(
    'SELECT prove_with_passkey($1, $2, $3, $4, $5, $6, $7) AS refusal',
    [userId, sessionId, challengeId, credential, clientData, authenticatorData, signature],
  );
  if (row!.refusal) throw new PayError(row!.refusal.code, row!.refusal.details);
}
