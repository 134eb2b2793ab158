/** People of a fleet: logged in, with names and money. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../server/src/db/database.ts';
import type { Fleet } from './fleet.ts';

const POLL_EVERY_MS = 50;

interface Session {
  readonly access_token: string;
  readonly user: { readonly user_id: string };
  readonly wallet: { readonly address: string | null };
}

export interface SettledPerson {
  readonly username: string;
  readonly userId: string;
  readonly bearer: string;
}

const ask = (url: string, body: object, bearer?: string): Promise<Response> => {
  const headers = { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
};

async function read<T>(answer: Response): Promise<T> {
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/**
 * With a wallet. On a busy machine issuer and signer may need longer than a login waits for them: then it is repeated.
 */
export async function logIn({ issuer }: Fleet, backendUrl: string, name: string): Promise<Session> {
  for (; ; await sleep(POLL_EVERY_MS)) {
    // An ID token can be exchanged for one session.
    const claims = { sub: name, email: `${name}@example.com`, email_verified: true, jti: `${Math.random()}` };
    const answer = await ask(`${backendUrl}/api/v1/login`, { id_token: await issuer.sign(claims) });
    if (answer.status === 503) continue;
    const session = await read<Session>(answer);
    if (session.wallet.address !== null) return session;
  }
}

/** Logs people in, gives them names and whole USDC, and waits until their deposits have arrived. */
export async function settlePeople(
  fleet: Fleet,
  db: Db,
  backendUrl: string,
  wanted: readonly { readonly username: string; readonly usdc: number }[],
): Promise<SettledPerson[]> {
  const people: SettledPerson[] = [];
  for (const { username, usdc } of wanted) {
    const { access_token: bearer, user, wallet } = await logIn(fleet, backendUrl, username);
    await read(await ask(`${backendUrl}/api/v1/set_username`, { user_id: user.user_id, username }, bearer));
    await fleet.chain.mint(wallet.address!, String(usdc));
    people.push({ username, userId: user.user_id, bearer });
  }
  const due = wanted.reduce((sum, { usdc }) => sum + BigInt(usdc) * 1_000_000n, 0n);
  await fleet.chain.mineUntil(async () => {
    const [row] = await db.query<{ sum: bigint }>(
      'SELECT coalesce(sum(available), 0)::bigint AS sum FROM accounts WHERE user_id IS NOT NULL',
    );
    if (row!.sum < due) throw new Error('the deposits have not arrived');
  });
  return people;
}
