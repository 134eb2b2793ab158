/** A fresh sandbox, as a newcomer meets it: a first send, a first deposit, books that agree. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type BenchSandbox, post, startBenchSandbox } from '../bench/support/startBenchSandbox.ts';
import { randomAddress } from './support/custody.ts';

let sandbox: BenchSandbox;
beforeAll(async () => {
  sandbox = await startBenchSandbox();
}, 120_000);
afterAll(() => sandbox.stop());

const balanceOf = async (address: string): Promise<bigint> => {
  const data = `0x70a08231${address.slice(2).padStart(64, '0')}`;
  return BigInt(await sandbox.rpc<string>('eth_call', [{ to: sandbox.state.chains[0]!.usdc_address, data }, 'latest']));
};

const get = async (path: string) =>
  (await fetch(sandbox.state.web3_url + path)).json() as Promise<Record<string, unknown>>;

describe('a fresh sandbox', () => {
  it('makes a send of the shortest body COMPLETE, to the last micro-USDC', async () => {
    const destination = randomAddress();
    const accepted = await post(`${sandbox.state.web3_url}/wallet/send-usdc`, {
      destination_address: destination,
      amount: 12.345678,
    });
    expect(accepted.state).toBe('INITIATED');
    await vi.waitFor(
      async () =>
        expect(await get(`/circle/transaction/${accepted.transaction_id}`)).toMatchObject({ state: 'COMPLETE' }),
      { timeout: 30_000, interval: 100 },
    );
    expect(await balanceOf(destination)).toBe(12_345_678n);
  }, 60_000);

  it('credits what the faucet mints, once, as a deposit', async () => {
    const alice = sandbox.state.users[0]!;
    const overview = async () => {
      const { balances } = (await get(`/subgraph/wallet-overview?address=${alice.address}`)) as {
        balances: { blockchain: string; available: string }[];
      };
      return balances.find((one) => one.blockchain === 'ETH-SEPOLIA')!.available;
    };
    expect(await overview()).toBe('1000');
    await sandbox.turn('/faucet', { address: alice.address, usdc: '0.000007' });
    await vi.waitFor(async () => expect(await overview()).toBe('1000.000007'), { timeout: 20_000, interval: 200 });
    await sandbox.turn('/mine', { blocks: 5 });
    expect(await overview()).toBe('1000.000007');
  }, 60_000);

  it('reconciles to nothing, and says so', async () => {
    const { stdout } = await promisify(execFile)('npm', ['run', '-s', 'reconcile'], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      env: { ...process.env, FLORIN_DATA_DIR: sandbox.dataDir, DATABASE_URL: '' },
    });
    expect(stdout).toMatch(/ETH-SEPOLIA at block \d+/);
    expect(stdout.match(/coins − ledger: 0\n/g)).toHaveLength(2);
    const ready = (await (await fetch(`${sandbox.state.ops_url}/readyz`)).json()) as Record<string, unknown>;
    expect(ready).toMatchObject({ status: 'ready', paused: [] });
    expect(await (await fetch(`${sandbox.state.ops_url}/metrics`)).text()).toMatch(
      /florin_watcher_block\{blockchain="ETH-SEPOLIA"\} [1-9]/,
    );
  }, 60_000);
});
