import { setTimeout as sleep } from 'node:timers/promises';
import { StartFault } from './fault.ts';
import type { Person } from './issuer/accounts.ts';
import type { DecisionName } from './kyc/decisions.ts';
import type { RunningSumsub } from './kyc/startSumsub.ts';

interface SeededPerson extends Person {
  readonly username: string;
  readonly kycStatus: 'approved' | 'pending';
}

const invent = (name: string, username: string, about: string, kycStatus: SeededPerson['kycStatus']): SeededPerson => ({
  name,
  username,
  email: `${username}@florin.example`,
  about,
  kycStatus,
});

export const PEOPLE: readonly SeededPerson[] = [
  invent('Alice', 'alice', 'KYC approved', 'approved'),
  invent('Bob', 'bob', 'KYC approved', 'approved'),
  invent('Carol', 'carol', 'KYC approved', 'approved'),
  invent('Coffee Shop', 'coffee_shop', 'Merchant, KYC approved', 'approved'),
  invent('Erin', 'erin', 'KYC pending', 'pending'),
];

/** One person as `sandbox.json` shows them. */
export interface SandboxUser {
  readonly user_id: string;
  readonly username: string;
  readonly email: string;
  readonly address: string;
  readonly wallet_id: string;
  readonly id_token: string;
  readonly access_token: string;
}

const WALLET_PATIENCE_MS = 120_000;
const CALL_PATIENCE_MS = 60_000;

interface LoginAnswer {
  readonly user: { user_id: string; username: string | null };
  /** Null until the signer has created it. */
  readonly wallet: { wallet_id: string | null; address: string | null };
  readonly access_token: string;
}

/** Logs every person in and starts their identity check over the API; the provider's double then decides it. */
export async function seedPeople(options: {
  readonly backendUrl: string;
  readonly issueIdToken: (email: string) => Promise<string>;
  readonly kyc: Pick<RunningSumsub, 'decide'>;
}): Promise<SandboxUser[]> {
  const users: SandboxUser[] = [];
  for (const person of PEOPLE) {
    const user = await logIn(person, options);
    users.push(user);
    await passKyc(person, user.user_id, options);
  }
  return users;
}

const DECISIONS: Readonly<Record<SeededPerson['kycStatus'], DecisionName>> = { approved: 'approve', pending: 'submit' };

interface CheckAnswer {
  readonly applicant_id: string;
  readonly status: string;
}

/** Only while the check is undecided: a later decision, for Erin for example, is kept across restarts. */
async function passKyc(
  person: SeededPerson,
  userId: string,
  { backendUrl, kyc }: { backendUrl: string; kyc: Pick<RunningSumsub, 'decide'> },
): Promise<void> {
  const check = (await call(`${backendUrl}/api/v1/kyc/applicant`, { user_id: userId })) as CheckAnswer;
  if (check.status !== 'started') return;
  await kyc.decide(check.applicant_id, DECISIONS[person.kycStatus]);
}

async function logIn(
  person: SeededPerson,
  { backendUrl, issueIdToken }: { backendUrl: string; issueIdToken: (email: string) => Promise<string> },
): Promise<SandboxUser> {
  const idToken = await issueIdToken(person.email);
  const enter = async () => (await call(`${backendUrl}/api/v1/login`, { id_token: idToken })) as LoginAnswer;
  let login = await enter();
  // On a busy machine, the signer may need longer than a login waits for it.
  for (const deadline = Date.now() + WALLET_PATIENCE_MS; login.wallet.address === null; login = await enter()) {
    if (Date.now() > deadline) throw new StartFault('The signer created no wallets. See its log.');
    await sleep(100);
  }
  const { user_id, username } = login.user;
  if (username === null) await call(`${backendUrl}/api/v1/set_username`, { user_id, username: person.username });
  return {
    user_id,
    username: username ?? person.username,
    email: person.email,
    address: login.wallet.address!,
    wallet_id: login.wallet.wallet_id!,
    id_token: idToken,
    access_token: login.access_token,
  };
}

/** On a busy machine, some answers may come too late; all of these calls are safe to repeat. */
async function call(url: string, body: Record<string, unknown>): Promise<unknown> {
  for (const deadline = Date.now() + CALL_PATIENCE_MS; ; await sleep(200)) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    });
    if (response.ok) return response.json();
    const said = await response.text();
    if (response.status !== 503 || Date.now() > deadline)
      throw new Error(`seeding failed: POST ${new URL(url).pathname} answered ${response.status}: ${said}`);
  }
}
