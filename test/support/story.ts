/** The typical flow of the interface. It is the same in every mode; only credentials differ. */
import { expect } from 'vitest';
import type { RunningSumsub } from '../../sandbox/src/kyc/startSumsub.ts';
import type { TestChain } from './chain/chain.ts';
import { randomAddress } from './chain/custody.ts';
import type { Answer } from './http/answer.ts';

export interface Mode {
  readonly chain: Pick<TestChain, 'mint' | 'mineUntil' | 'balanceOf'>;
  readonly sumsub: Pick<RunningSumsub, 'decide'>;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  idToken(name: string): Promise<string>;
  /** The headers of a person's call, and those of a service's call. */
  asUser(login: Answer): Record<string, string>;
  asService(): Record<string, string>;
}

interface Person {
  readonly name: string;
  readonly userId: string;
  readonly address: string;
  readonly login: Answer;
}

/** Logs in, takes a name, passes the identity check. */
async function arrive({ call, idToken, asUser, sumsub }: Mode, name: string): Promise<Person> {
  const login = await call('POST', '/api/v1/login', { id_token: await idToken(name) });
  expect(login.body).toMatchObject({ new_user: true, token_type: 'Bearer', user: { kyc_status: 'none' } });
  const userId: string = login.body.user.user_id;
  const named = await call('POST', '/api/v1/set_username', { user_id: userId, username: name }, asUser(login));
  expect(named.body).toMatchObject({ success: true, username: name });
  const started = await call('POST', '/api/v1/kyc/applicant', { user_id: userId }, asUser(login));
  const token = await call('POST', '/api/v1/kyc/access-token', { user_id: userId }, asUser(login));
  expect([started.status, token.status, token.body.applicant_id]).toEqual([200, 200, started.body.applicant_id]);
  await sumsub.decide(started.body.applicant_id, 'approve');
  const checked = await call('POST', `/api/v1/kyc/check-status/${userId}`, undefined, asUser(login));
  const stored = await call('GET', `/api/v1/kyc/status/${name}@example.com`, undefined, asUser(login));
  expect([checked.body.status, stored.body.status]).toEqual(['approved', 'approved']);
  // On a busy machine the signer may need longer than a login waits for it.
  let { wallet } = login.body;
  while (wallet.address === null)
    ({ wallet } = (await call('POST', '/api/v1/login', { id_token: await idToken(name) })).body);
  return { name, userId, address: wallet.address, login };
}

export async function runStory(mode: Mode): Promise<void> {
  const { chain, call, asUser, asService } = mode;
  const flora = await arrive(mode, 'flora');
  const felix = await arrive(mode, 'felix');
  const available = async ({ address }: Person) => {
    const overview = await call('GET', `/subgraph/wallet-overview?address=${address}`, undefined, asService());
    return overview.body.balances[0].available;
  };
  const history = async ({ name, login }: Person) =>
    (await call('GET', `/api/v1/latest_transactions_by_username/${name}`, undefined, asUser(login))).body.transactions;

  // Coins arrive on chain and are credited when they are final.
  await chain.mint(flora.address, '50.000007');
  await chain.mineUntil(async () => expect(await available(flora)).toBe('50.000007'));
  expect(await history(flora)).toMatchObject([{ kind: 'deposit', state: 'COMPLETE', amount: '50.000007' }]);

  // Payments by username, in both directions.
  const pay = (from: Person, to: Person, amount: number) => {
    const body = { sender_user_id: from.userId, receiver_username: to.name, amount };
    return call('POST', '/api/v1/send_usdc', body, asUser(from.login));
  };
  const there = await pay(flora, felix, 12.5);
  expect(there.body).toMatchObject({ success: true, state: 'COMPLETE', amount: '12.5', available: '37.500007' });
  const back = await pay(felix, flora, 2);
  expect(back.body).toMatchObject({ success: true, state: 'COMPLETE', available: '10.5' });
  const limits = await call('GET', `/api/v1/limits/${flora.userId}`, undefined, asUser(flora.login));
  expect(limits.body).toMatchObject({ kyc_status: 'approved', can_pay: true });

  // Sends to an address: by a person who has coins, and by one whose coins are still in another person's wallet.
  const sends: { readonly from: Person; readonly id: string; readonly destination: string; readonly amount: string }[] =
    [];
  for (const [from, amount] of [
    [flora, '7.654321'],
    [felix, '3.25'],
  ] as const) {
    const destination = randomAddress();
    const body = { destination_address: destination, amount: Number(amount), wallet_username: from.name };
    const accepted = await call('POST', '/wallet/send-usdc', body, asService());
    expect([accepted.status, accepted.body.state, accepted.body.amount]).toEqual([200, 'INITIATED', amount]);
    sends.push({ from, id: accepted.body.transaction_id, destination, amount });
  }
  for (const { id, destination, amount } of sends) {
    const status = await chain.mineUntil(async () => {
      const answer = await call('GET', `/circle/transaction/${id}`, undefined, asService());
      expect(answer.body.state).toBe('COMPLETE');
      return answer.body;
    });
    expect(status).toMatchObject({ kind: 'chain', amount, tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
    expect(await chain.balanceOf(destination)).toBe(BigInt(amount.replace('.', '').padEnd(7, '0')));
  }

  // Status and history of these payments.
  const status = await call('GET', `/circle/transaction/${there.body.transaction_id}`, undefined, asService());
  expect(status.body).toMatchObject({ transaction_id: there.body.transaction_id, state: 'COMPLETE', kind: 'user' });
  const shown = (await history(flora)).map((one: Record<string, string>) => [one.kind, one.state, one.amount]);
  expect(shown).toEqual([
    ['chain', 'COMPLETE', '7.654321'],
    ['user', 'COMPLETE', '2'],
    ['user', 'COMPLETE', '12.5'],
    ['deposit', 'COMPLETE', '50.000007'],
  ]);
  expect([await available(flora), await available(felix)]).toEqual(['31.845686', '7.25']);
}
