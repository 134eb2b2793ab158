import { setTimeout as sleep } from 'node:timers/promises';
import { PayError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { IdTokens } from '../../core/ports.ts';
import type { Signer } from '../../core/signer.ts';
import type { Db } from '../../db/database.ts';
import { recordAudit } from '../../operators/recordAudit.ts';
import { type IssuedTokens, openSession, type SessionRules } from '../sessions/sessions.ts';
import { type Customer, findCustomer, insertUser, lockOpenAccount, updateEmail } from '../users.ts';
import { spendIdToken } from './spendIdToken.ts';

export interface LoginApp {
  readonly db: Db;
  readonly idTokens: IdTokens;
  readonly signer: Pick<Signer, 'makeWallet'>;
  readonly sessions: SessionRules;
  /** Whether an ID token can be used for one login only. */
  readonly spendsIdTokens: boolean;
}

/** How long a login waits for the address of the wallet. Payments by username do not need it. */
const WALLET_PATIENCE_MS = 500;

interface Login extends Customer {
  readonly tokens: IssuedTokens;
  readonly newUser: boolean;
}

/**
 * Exchanges an ID token for a session. The first login creates the person and asks the signer for their wallet; later
 * logins find them. Two concurrent first logins are safe: the pair (issuer, subject) is unique, and a person always
 * gets the same wallet. A closed account is refused. If the signer does not answer in time, the wallet is undefined,
 * and a job asks again.
 */
export async function login(app: LoginApp, request: { idToken: string; userAgent: string | null }): Promise<Login> {
  const { identity, expiresAt } = await app.idTokens.verify(request.idToken);
  const known = await findCustomer(app.db, identity);
  if (known?.user.closedAt) throw new PayError('account.closed');
  const userId = newId();
  const done = await app.db.tx(async (tx) => {
    if (app.spendsIdTokens) await spendIdToken(tx, request.idToken, expiresAt);
    const newUser = known === undefined && (await insertUser(tx, userId, identity));
    if (!newUser) await updateEmail(tx, identity);
    const customer = await findCustomer(tx, identity);
    if (!customer) throw new Error('a customer disappeared between two statements');
    const { user, wallet } = customer;
    await lockOpenAccount(tx, user.userId);
    if (!wallet) await tx.query('SELECT want_wallet($1)', [user.userId]);
    const tokens = await openSession(tx, app.sessions, user.userId, request.userAgent);
    const details = { session_id: tokens.sessionId, new_user: newUser };
    await recordAudit(tx, { actor: `user:${user.userId}`, action: 'login', userId: user.userId, details });
    return { user, wallet, tokens, newUser };
  });
  return { ...done, wallet: done.wallet ?? (await askForWallet(app, done.user.userId)) };
}

/**
 * Runs after the commit: the signer must see the person's row, and no network call may happen while rows are locked.
 */
async function askForWallet({ signer }: LoginApp, userId: string): Promise<Customer['wallet']> {
  const answered = new AbortController();
  const patience = sleep(WALLET_PATIENCE_MS, undefined, { signal: answered.signal }).catch(() => undefined);
  const answer = await Promise.race([signer.makeWallet(userId).catch(() => undefined), patience]);
  answered.abort();
  return answer?.outcome === 'accepted' ? { walletId: answer.walletId, address: answer.address } : undefined;
}
