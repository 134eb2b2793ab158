import { newId } from '../../core/ids.ts';
import type { IdTokens, Wallets } from '../../core/ports.ts';
import type { Db } from '../../db/database.ts';
import { recordAudit } from '../../operators/recordAudit.ts';
import { type IssuedTokens, openSession, type SessionRules } from '../sessions/sessions.ts';
import { type Customer, findCustomer, insertCustomer, updateEmail } from '../users.ts';
import { spendIdToken } from './spendIdToken.ts';

export interface LoginApp {
  readonly db: Db;
  readonly idTokens: IdTokens;
  readonly wallets: Pick<Wallets, 'create' | 'fingerprint'>;
  readonly sessions: SessionRules;
  /** Whether an ID token can be used for one login only. */
  readonly spendsIdTokens: boolean;
}

interface Login extends Customer {
  readonly tokens: IssuedTokens;
  readonly newUser: boolean;
}

/**
 * Exchanges an ID token for a session. The first login creates the person and their wallet, later ones find them. Two
 * first logins at once are safe: the pair (issuer, subject) is unique, and a person always gets the same wallet.
 */
export async function login(app: LoginApp, request: { idToken: string; userAgent: string | null }): Promise<Login> {
  const { identity, expiresAt } = await app.idTokens.verify(request.idToken);
  const known = await findCustomer(app.db, identity);
  // Asked of the provider before the transaction opens: no network call happens while rows are locked.
  const wallet = known ? undefined : await app.wallets.create({ kind: 'user', ...identity });
  const ids = { userId: newId(), walletId: newId() };
  return app.db.tx(async (tx) => {
    if (app.spendsIdTokens) await spendIdToken(tx, request.idToken, expiresAt);
    const newUser = wallet !== undefined && (await insertCustomer(tx, ids, identity, wallet));
    if (!newUser) await updateEmail(tx, identity);
    const customer = await findCustomer(tx, identity);
    if (!customer) throw new Error('a customer vanished between two statements');
    const { userId } = customer.user;
    const tokens = await openSession(tx, app.sessions, userId, request.userAgent);
    const details = { session_id: tokens.sessionId, new_user: newUser };
    await recordAudit(tx, { actor: `user:${userId}`, action: 'login', userId, details });
    return { ...customer, tokens, newUser };
  });
}
