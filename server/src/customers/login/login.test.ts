import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../../test/support/database/useTestDatabase.ts';
import { localWallets } from '../../adapters/wallets/local/localWallets.ts';
import { PayError } from '../../core/errors.ts';
import type { Identity } from '../../core/ports.ts';
import { openAsset, setHomeAsset } from '../../ledger/accounts.ts';
import { type Callers, openCallers } from '../sessions/openCallers.ts';
import { refreshSession } from '../sessions/refreshSession.ts';
import { listSessions, revokeSession } from '../sessions/sessions.ts';
import { makeWallet } from '../wallets/makeWallet.ts';
import { prepareServiceWallets } from '../wallets/serviceWallets.ts';
import { type LoginApp, login } from './login.ts';

const database = useTestDatabase();
const keys = localWallets(Buffer.alloc(64, 1));
/** Does the signer's work without its process. */
async function askSigner(userId: string) {
  return { outcome: 'accepted', ...(await makeWallet(database.db, keys, userId))! } as const;
}
let app: LoginApp;
let callers: Callers;
beforeAll(async () => {
  callers = openCallers(database.url);
  app = {
    db: database.db,
    // The "token" is the identity itself. The adapter's own test covers how tokens are verified.
    idTokens: {
      async verify(idToken) {
        if (!idToken.startsWith('{')) throw new PayError('auth.invalid', { reason: 'malformed' });
        return { identity: JSON.parse(idToken) as Identity, expiresAt: new Date(Date.now() + 60_000) };
      },
    },
    signer: { makeWallet: askSigner },
    sessions: { accessTokenSeconds: 900, refreshTokenSeconds: 3600, sessionSeconds: 90_000 },
    spendsIdTokens: false,
  };
  await setHomeAsset(app.db, await openAsset(app.db, 'ETH-SEPOLIA', 'USDC'));
});
afterAll(() => callers.close());

const person = (subject: string, email = `${subject}@example.com`) =>
  JSON.stringify({ issuer: 'test', subject, email, emailVerified: true });
const logIn = (subject: string, email?: string) => login(app, { idToken: person(subject, email), userAgent: 'vitest' });
const reason = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'accepted',
    (error) => error.details?.reason ?? error.code ?? error.message,
  );

describe('login', () => {
  it('creates the person and the wallet once, and finds them again', async () => {
    const first = await logIn('alice');
    expect(first).toMatchObject({
      newUser: true,
      user: { email: 'alice@example.com', username: null, kycStatus: 'none' },
    });
    // On a busy machine the signer may take longer than a login waits for it.
    const wallet = first.wallet ?? (await logIn('alice')).wallet;
    expect(wallet!.address).toMatch(/^0x[0-9a-fA-F]{40}$/);
    const second = await logIn('alice', 'alice@new.example');
    expect(second).toMatchObject({ newUser: false, wallet, user: { email: 'alice@new.example' } });
    expect(second.user.userId).toBe(first.user.userId);
    expect(second.tokens.sessionId).not.toBe(first.tokens.sessionId);
  });

  it('gives a person with a wallet of another provider only the missing one', async () => {
    const userId = '7c9d2a51-0f3e-4b6a-9d18-2e5b7a4c6f03';
    await app.db.query(`INSERT INTO users (user_id, issuer, subject) VALUES ($1, 'test', 'moved')`, [userId]);
    await app.db.query(
      `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address)
       VALUES (gen_random_uuid(), 'user', $1, 'other', 'r', $2)`,
      [userId, `0x${'b'.repeat(40)}`],
    );
    const wallet = await keys.create({ kind: 'user', issuer: 'test', subject: 'moved' });
    const request = { idToken: person('moved'), userAgent: null };
    expect(await login(app, request)).toMatchObject({ newUser: false, user: { userId } });
    const again = await login(app, request);
    expect(again.wallet!.address).toBe(wallet.address);
    expect(await app.db.query('SELECT FROM wallets WHERE user_id = $1', [userId])).toHaveLength(2);
  });

  it('of one new person 20 times concurrently creates one person', async () => {
    const logins = await Promise.all(Array.from({ length: 20 }, () => logIn('racer')));
    expect(new Set(logins.map((one) => one.user.userId)).size).toBe(1);
    expect(logins.filter((one) => one.newUser)).toHaveLength(1);
  });

  it('does not confuse people of two issuers', async () => {
    const other = await login(app, { idToken: person('alice').replace('"test"', '"other"'), userAgent: null });
    expect(other.newUser).toBe(true);
  });

  it('stores no token, only hashes', async () => {
    const { tokens } = await logIn('hashed');
    const [dump] = await app.db.query<{ text: string }>(
      `SELECT string_agg(t::text, '') || (SELECT string_agg(s::text, '') FROM sessions s) AS text FROM session_tokens t`,
    );
    for (const token of [tokens.accessToken, tokens.refreshToken]) {
      expect(dump!.text).not.toContain(token);
      expect(dump!.text).not.toContain(token.slice(4));
    }
  });
});

describe('a session', () => {
  const refresh = (refreshToken: string, idempotencyKey?: string) =>
    refreshSession(app, { refreshToken, idempotencyKey });

  it('is refreshed with rotation', async () => {
    const { user, tokens } = await logIn('rotating');
    const next = await refresh(tokens.refreshToken);
    expect(next.sessionId).toBe(tokens.sessionId);
    expect(next.refreshToken).not.toBe(tokens.refreshToken);
    expect(await callers.get(next.accessToken)).toMatchObject({ userId: user.userId, sessionId: tokens.sessionId });
    await refresh(next.refreshToken);
  });

  it('ends when an old refresh token comes back', async () => {
    const { tokens } = await logIn('robbed');
    const next = await refresh(tokens.refreshToken);
    expect(await reason(refresh(tokens.refreshToken))).toBe('reused');
    expect(await reason(refresh(next.refreshToken))).toBe('revoked');
    expect(await reason(callers.get(next.accessToken))).toBe('revoked');
    expect(await reason(callers.get(tokens.accessToken))).toBe('revoked');
  });

  it('survives a lost answer: the same Idempotency-Key gets new tokens, until those are used', async () => {
    const { tokens } = await logIn('unlucky');
    const lost = await refresh(tokens.refreshToken, 'key-1');
    const again = await refresh(tokens.refreshToken, 'key-1');
    expect(again.refreshToken).not.toBe(lost.refreshToken);
    expect(await reason(callers.get(lost.accessToken))).toBe('unknown');
    await refresh(again.refreshToken, 'key-2');
    expect(await reason(refresh(tokens.refreshToken, 'key-1'))).toBe('reused');
  });

  it('exchanged by ten callers concurrently gives one set of tokens, and then ends', async () => {
    const { tokens } = await logIn('crowd');
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => reason(refresh(tokens.refreshToken))));
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
    expect(await listSessions(app.db, (await logIn('crowd')).user.userId)).toHaveLength(1);
  });

  it('expires, refresh and access tokens each in their time', async () => {
    const { tokens } = await logIn('slow');
    await app.db.query(`UPDATE session_tokens SET expires_at = now() WHERE session_id = $1`, [tokens.sessionId]);
    expect(await reason(callers.get(tokens.accessToken))).toBe('expired');
    expect(await reason(refresh(tokens.refreshToken))).toBe('expired');
  });

  it('refuses tokens of the other kind, and made-up ones', async () => {
    const { tokens } = await logIn('mixer');
    expect(await reason(callers.get(tokens.refreshToken))).toBe('unknown');
    expect(await reason(refresh(tokens.accessToken))).toBe('unknown');
    expect(await reason(refresh('flr_made_up'))).toBe('unknown');
  });

  it('is never valid and hidden: the oldest of too many ends', async () => {
    const first = await logIn('busy');
    let last = first;
    for (let i = 0; i < 50; i++) last = await logIn('busy');
    expect(await reason(callers.get(first.tokens.accessToken))).toBe('revoked');
    expect(await reason(callers.get(last.tokens.accessToken))).toBe('accepted');
    expect(await listSessions(app.db, first.user.userId)).toHaveLength(50);
  });

  it('is listed and revoked by its owner only', async () => {
    const [first, second] = [await logIn('owner'), await logIn('owner')];
    const thief = await logIn('thief');
    const caller = await callers.get(first.tokens.accessToken);
    expect((await listSessions(app.db, caller.userId)).map((row) => row.session_id)).toEqual([
      second.tokens.sessionId,
      first.tokens.sessionId,
    ]);
    const stranger = await callers.get(thief.tokens.accessToken);
    expect(await reason(app.db.tx((tx) => revokeSession(tx, stranger, first.tokens.sessionId)))).toBe(
      'session.unknown',
    );
    await app.db.tx((tx) => revokeSession(tx, caller, second.tokens.sessionId));
    expect(await reason(app.db.tx((tx) => revokeSession(tx, caller, second.tokens.sessionId)))).toBe('session.unknown');
    expect(await reason(callers.get(second.tokens.accessToken))).toBe('revoked');
    expect(await reason(refresh(second.tokens.refreshToken))).toBe('revoked');
    expect(await reason(callers.get(first.tokens.accessToken))).toBe('accepted');
  });
});

describe('a database and its seed', () => {
  it('belong together: another seed is refused, the same one is accepted', async () => {
    const treasury = await prepareServiceWallets(app.db, keys);
    expect(await prepareServiceWallets(app.db, keys)).toEqual(treasury);
    const other = localWallets(Buffer.alloc(64, 2));
    expect(await reason(prepareServiceWallets(app.db, other))).toMatch(/another wallet seed/);
  });
});
