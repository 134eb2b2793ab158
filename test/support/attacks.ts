/** A server in production mode with people in it, and the tools of those who attack it. */
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { parseUsdc } from '../../server/src/core/money.ts';
import type { Db } from '../../server/src/db/database.ts';
import { recordDeposit } from '../../server/src/payments/recordDeposit.ts';
import type { Production } from './production.ts';

export interface Person {
  readonly userId: string;
  readonly name: string;
  readonly bearer: { readonly authorization: string };
}

export async function join(florin: Production, name: string): Promise<Person> {
  const idToken = await florin.issuer.sign({ sub: name, email: `${name}@example.com`, email_verified: true });
  const { body } = await florin.call('POST', '/api/v1/login', { id_token: idToken });
  const bearer = { authorization: `Bearer ${body.access_token}` };
  await florin.call('POST', '/api/v1/set_username', { user_id: body.user.user_id, username: name }, bearer);
  return { userId: body.user.user_id, name, bearer };
}

export const fund = (db: Db, userId: string, amount = '100') =>
  db.tx((tx) =>
    recordDeposit(tx, {
      depositId: randomUUID(),
      userId,
      blockchain: 'ETH-SEPOLIA',
      amount: parseUsdc(amount),
      fromAddress: `0x${'f'.repeat(40)}`,
    }),
  );

/** Statuses and codes, in order. */
export const codes = (answers: readonly { status: number; body: { code?: string } }[]) =>
  answers.map(({ status, body }) => (body?.code ? `${status} ${body.code}` : String(status))).join(', ');

/** What was answered on a socket of our own until the other side hung up. */
export const raw = (url: string, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    let heard = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on('data', (chunk) => {
      heard += chunk;
    });
    socket.on('close', () => resolve(heard));
    socket.on('error', reject);
  });
export const statusOf = (heard: string) => /^HTTP\/1\.1 (\d+)/.exec(heard)?.[1] ?? 'nothing';
