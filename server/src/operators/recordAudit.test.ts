import { beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/support/database/useTestDatabase.ts';
import { asAdmin } from '../../../test/support/database.ts';
import { login } from '../customers/login/login.ts';
import { refreshSession } from '../customers/sessions/refreshSession.ts';
import { revokeSession } from '../customers/sessions/sessions.ts';
import { setUsername } from '../customers/usernames/setUsername.ts';
import { openAsset, setHomeAsset } from '../ledger/accounts.ts';
import { recordAudit } from './recordAudit.ts';

const database = useTestDatabase();
const { db } = database;
beforeAll(async () => setHomeAsset(db, await openAsset(db, 'ETH-SEPOLIA', 'USDC')));

const sessions = { accessTokenSeconds: 60, refreshTokenSeconds: 600, sessionSeconds: 90_000 };
const readLog = () =>
  db.query<{ actor: string; action: string; user_id: string; details: Record<string, unknown> }>(
    'SELECT actor, action, user_id, details FROM audit_log ORDER BY audit_id',
  );

describe('the audit log', () => {
  it('records who did what, without addresses and tokens', async () => {
    const identity = { issuer: 'i', subject: 's', email: 'ada@example.com', emailVerified: true };
    const app = {
      db,
      sessions,
      spendsIdTokens: false,
      idTokens: { verify: async () => ({ identity, expiresAt: new Date() }) },
      signer: { makeWallet: async () => ({ outcome: 'unknown', cause: 'no signer responds' }) as const },
    };
    const first = await login(app, { idToken: 't', userAgent: null });
    const second = await login(app, { idToken: 't', userAgent: null });
    const { userId } = first.user;
    await db.tx((tx) => setUsername(tx, { cooldownDays: 0 }, { userId, username: 'ada' }));
    await db.tx((tx) => setUsername(tx, { cooldownDays: 0 }, { userId, username: 'ada' }));
    await db.tx((tx) => revokeSession(tx, { userId, sessionId: '' }, second.tokens.sessionId));
    const { refreshToken } = first.tokens;
    await refreshSession(app, { refreshToken, idempotencyKey: undefined });
    await expect(refreshSession(app, { refreshToken, idempotencyKey: undefined })).rejects.toThrow();
    const log = await readLog();
    expect(log.map(({ action, details }) => [action, details])).toEqual([
      ['login', { new_user: true, session_id: first.tokens.sessionId }],
      ['login', { new_user: false, session_id: second.tokens.sessionId }],
      ['username.changed', { username: 'ada', previous_username: null }],
      ['session.revoked', { session_id: second.tokens.sessionId }],
      ['session.reused', { session_id: first.tokens.sessionId, why: 'another key' }],
    ]);
    expect(new Set(log.map(({ actor, user_id }) => `${actor} ${user_id}`))).toEqual(
      new Set([`user:${userId} ${userId}`]),
    );
    expect(JSON.stringify(log)).not.toMatch(/@|fla_|flr_/);
  });

  it('is committed or rolled back together with the action', async () => {
    const before = (await readLog()).length;
    const deed = db.tx(async (tx) => {
      await recordAudit(tx, { actor: 'operator:ada', action: 'key.created' });
      throw new Error('the deed failed');
    });
    await expect(deed).rejects.toThrow('the deed failed');
    expect(await readLog()).toHaveLength(before);
  });

  it.each([
    `UPDATE audit_log SET actor = 'user:nobody'`,
    'DELETE FROM audit_log',
    'TRUNCATE audit_log',
    'TRUNCATE users CASCADE',
    `SET LOCAL session_replication_role = replica; DELETE FROM audit_log`,
  ])('refuses %s', async (statement) => {
    await expect(db.query(statement)).rejects.toThrow(/permission denied/);
    await expect(asAdmin(database.url, statement)).rejects.toThrow(/append-only/);
  });

  it('refuses an actor without a kind', async () => {
    await expect(db.query(`SELECT record_audit('ada', 'login', NULL, '{}')`)).rejects.toThrow(/may not act as ada/);
  });
});
