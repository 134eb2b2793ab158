/**
 * The whole sandbox with `--wallets circle`: the typical flow, and races of 64. `npm run rails` also runs it with
 * `circle_send`, through FLORIN_STORY_WALLETS.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BenchSandbox, startBenchSandbox } from '../../bench/support/startBenchSandbox.ts';
import { randomAddress } from '../support/chain/custody.ts';
import { eventually } from '../support/eventually.ts';
import { type Answer, readAnswer } from '../support/http/answer.ts';
import { fetchChecked } from '../support/http/fetchChecked.ts';
import { judgeEndOf } from '../support/properties/judgeEnd.ts';
import { runStory } from '../support/story.ts';

const WALLETS = process.env.FLORIN_STORY_WALLETS ?? 'circle';

let sandbox: BenchSandbox;
beforeAll(async () => {
  sandbox = await startBenchSandbox({}, ['--wallets', WALLETS]);
});
afterAll(() => sandbox?.stop());

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const { state } = sandbox;
  const base = path.startsWith('/api/') || path.startsWith('/webhooks/') ? state.backend_url : state.web3_url;
  const init = { method, headers: { 'content-type': 'application/json', ...headers } };
  return readAnswer(
    await fetchChecked(base + path, body === undefined ? init : { ...init, body: JSON.stringify(body) }),
  );
}

const balanceOf = async (address: string): Promise<bigint> => {
  const data = `0x70a08231${address.slice(2).padStart(64, '0')}`;
  return BigInt(await sandbox.rpc<string>('eth_call', [{ to: sandbox.state.chains[0]!.usdc_address, data }, 'latest']));
};

it(`the typical flow with --wallets ${WALLETS}: log in, take a name, pass KYC, pay both ways, see all of it`, async () => {
  await runStory({
    chain: {
      async mint(address, usdc) {
        await sandbox.turn('/faucet', { address, usdc });
      },
      mineUntil: eventually,
      balanceOf,
    },
    sumsub: {
      async decide(applicant, decision) {
        await fetch(sandbox.state.kyc_url, { method: 'POST', body: new URLSearchParams({ applicant, decision }) });
      },
    },
    call,
    idToken: async (name) => (await fetch(`${sandbox.state.issuer_url}/id_token?email=${name}@example.com`)).text(),
    asUser: () => ({}),
    asService: () => ({}),
  });
  // Circle held the keys.
  const { rows } = await sandbox.db.query('SELECT DISTINCT provider FROM wallets WHERE user_id IS NOT NULL');
  expect(rows).toEqual([{ provider: WALLETS }]);
});

it('shows people where they receive on unwatched chains', async () => {
  const [alice] = sandbox.state.users;
  const expected = WALLETS === 'circle_send' ? ['APTOS-TESTNET', 'SOL-DEVNET'] : [];
  await eventually(async () => {
    const { body } = await call('GET', '/api/v1/me', undefined, { authorization: `Bearer ${alice!.access_token}` });
    expect(body.other_addresses.map((one: { blockchain: string }) => one.blockchain)).toEqual(expected);
  });
});

it('of 64 concurrent sends of the same whole balance one is made, and 64 of one key are one payment', async () => {
  const [, bob] = sandbox.state.users;
  const { rows } = await sandbox.db.query<{ available: string }>(
    'SELECT (available / 1000000)::text AS available FROM accounts WHERE user_id = $1 AND available > 0',
    [bob!.user_id],
  );
  const amount = Number(rows[0]!.available);
  const race = (destination: () => string, sum: number, headers: Record<string, string> = {}) =>
    Promise.all(
      Array.from({ length: 64 }, () => {
        const body = { destination_address: destination(), amount: sum, wallet_username: bob!.username };
        return call('POST', '/wallet/send-usdc', body, headers);
      }),
    );
  // On a busy machine some may be asked to come back later; only accepted ones count.
  const accepted = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200);
  const same = randomAddress();
  const once = await race(() => same, 1, { 'idempotency-key': randomUUID() });
  const [payment, ...others] = new Set(accepted(once).map(({ body }) => body.transaction_id as string));
  expect(others).toEqual([]);
  const destinations: string[] = [];
  const newDestination = () => {
    const address = randomAddress();
    destinations.push(address);
    return address;
  };
  const raced = await race(newDestination, amount - 1);
  const winners = accepted(raced);
  expect(winners).toHaveLength(1);
  for (const id of [payment!, winners[0]!.body.transaction_id])
    await eventually(async () => expect((await call('GET', `/circle/transaction/${id}`)).body.state).toBe('COMPLETE'));
  expect(await balanceOf(same)).toBe(1_000_000n);
  const paid = await Promise.all(destinations.map(balanceOf));
  expect(paid.filter((coins) => coins > 0n)).toEqual([BigInt(amount - 1) * 1_000_000n]);
});

it('in the end everything has ended, and every balance is explained', async () => {
  expect(await judgeEndOf({ databaseUrl: sandbox.state.database_url })).toEqual([]);
});
