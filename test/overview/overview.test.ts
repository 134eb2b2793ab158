/** The wallet overview on a whole server with its own chain. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningChains, startChains } from '../../sandbox/src/chain/startChains.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let chains: RunningChains;
let server: TestServer;
let address: string;
const turn = (path: string, body: unknown) =>
  fetch(chains.chains[0]!.rpc_url + path, { method: 'POST', body: JSON.stringify(body) });
const readOverview = (of = address, headers?: Record<string, string>) =>
  server.call('GET', `/subgraph/wallet-overview?address=${of}`, undefined, headers);

beforeAll(async () => {
  chains = await startChains({ mining: 'demand' });
  await turn('/mine', { blocks: 4 });
  server = await startTestServer({
    FLORIN_CHAINS: JSON.stringify(
      chains.chains.map(({ blockchain, chain_id, rpc_url }) => ({ blockchain, chain_id, rpc_urls: [rpc_url] })),
    ),
  });
  address = (await server.logIn('ada@example.com')).body.wallet.address;
});
afterAll(async () => {
  await server?.stop();
  await chains?.stop();
});

describe('the overview', () => {
  it('shows rates and incoming coins', async () => {
    await expect.poll(async () => (await readOverview()).body.rates.length).toBe(3);
    await turn('/faucet', { address, usdc: '12.5' });
    await turn('/mine', {});
    await expect
      .poll(async () => (await readOverview()).body.balances[0])
      .toEqual({
        blockchain: 'ETH-SEPOLIA',
        token: 'USDC',
        available: '0',
        held: '0',
        pending_in: '12.5',
        onchain: '12.5',
        block_number: 5,
        as_of: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
        stale: false,
      });
    const { body } = await readOverview();
    expect(body.balances.map((one: { blockchain: string }) => one.blockchain)).toEqual(['ETH-SEPOLIA', 'BASE-SEPOLIA']);
    expect(body.rates[0]).toEqual({
      pair: 'USDC/USD',
      price: '0.99987',
      as_of: expect.any(String),
      stale: false,
      source: 'chainlink:ETH-SEPOLIA',
    });
  });

  it('answers 304 when nothing has changed', async () => {
    const url = `${server.web3Url}/subgraph/wallet-overview?address=${address}`;
    // Between two requests a rate or a head may be refreshed; then something has changed.
    await eventually(async () => {
      const first = await readOverview();
      const etag = first.headers.get('etag')!;
      expect(first.headers.get('cache-control')).toBe('private, no-cache');
      const again = await fetch(url, { headers: { 'if-none-match': `"other", W/${etag}` } });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    });
    expect((await readOverview(address, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('of a foreign wallet has the same form as that of our own', async () => {
    const stranger = '0x00000000000000000000000000000000000a11ce';
    const own = (await readOverview()).body;
    // The chain is asked for a second at most.
    await eventually(async () => {
      const { status, body } = await readOverview(stranger);
      expect(status).toBe(200);
      expect(body.address).toBe(stranger);
      expect(Object.keys(body.balances[0])).toEqual(Object.keys(own.balances[0]));
      expect(body.balances[0]).toMatchObject({ available: '0', onchain: '0', block_number: 5, stale: false });
    });
    expect(JSON.stringify(own)).not.toMatch(/ada|user|wallet/);
  });

  it('does not wait for a chain that does not answer', async () => {
    // Longer than this test may take: had it waited, there would be no answer.
    await turn('/faults', { rpc: { delay_ms: 600_000 } });
    expect((await readOverview()).body.balances[0]).toMatchObject({ onchain: '12.5' });
    const { status, body } = await readOverview('0x00000000000000000000000000000000000000b0');
    expect([status, body.balances[0].onchain, body.balances[0].stale]).toEqual([200, null, true]);
    await turn('/faults', { rpc: null });
  });
});
