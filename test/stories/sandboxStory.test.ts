/** A fresh sandbox: a first send, a first deposit, approvals, cancelling, pauses, reconciliation. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BenchSandbox, post, startBenchSandbox } from '../../bench/support/startBenchSandbox.ts';
import { argumentsOf } from '../../sandbox/src/processes.ts';
import { randomAddress } from '../support/chain/custody.ts';
import { eventually } from '../support/eventually.ts';

let sandbox: BenchSandbox;
beforeAll(async () => {
  sandbox = await startBenchSandbox({ FLORIN_APPROVAL_THRESHOLD: '500' });
});
afterAll(() => sandbox.stop());

const balanceOf = async (address: string): Promise<bigint> => {
  const data = `0x70a08231${address.slice(2).padStart(64, '0')}`;
  return BigInt(await sandbox.rpc<string>('eth_call', [{ to: sandbox.state.chains[0]!.usdc_address, data }, 'latest']));
};

const get = async (path: string) =>
  (await fetch(sandbox.state.web3_url + path)).json() as Promise<Record<string, unknown>>;

describe('a fresh sandbox', () => {
  it('completes a send with the shortest body, exact to the micro-USDC', async () => {
    const destination = randomAddress();
    const accepted = await post(`${sandbox.state.web3_url}/wallet/send-usdc`, {
      destination_address: destination,
      amount: 12.345678,
    });
    expect(accepted.state).toBe('INITIATED');
    await eventually(async () =>
      expect(await get(`/circle/transaction/${accepted.transaction_id}`)).toMatchObject({ state: 'COMPLETE' }),
    );
    expect(await balanceOf(destination)).toBe(12_345_678n);
  });

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
    await eventually(async () => expect(await overview()).toBe('1000.000007'));
    await sandbox.turn('/mine', { blocks: 5 });
    expect(await overview()).toBe('1000.000007');
  });

  /** `florin ARGS`, built. */
  const run = async (...args: string[]) => {
    const env = { ...process.env, FLORIN_DATA_DIR: sandbox.dataDir, DATABASE_URL: '' };
    const { stdout } = await promisify(execFile)(process.execPath, [...argumentsOf('server/src/bin/florin'), ...args], {
      env,
    });
    return stdout;
  };

  it('lets a large send wait for two operators, answers after `Prefer: wait`, and an operator cancels it', async () => {
    const answer = await fetch(`${sandbox.state.web3_url}/wallet/send-usdc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'wait=1' },
      body: JSON.stringify({ destination_address: randomAddress(), amount: 500, wallet_username: 'alice' }),
    });
    const waiting = (await answer.json()) as { transaction_id: string; state: string; timeline: { note: string }[] };
    expect([answer.status, waiting.state]).toEqual([200, 'INITIATED']);
    expect(waiting.timeline[0]!.note).toMatch(/waits for approval by two operators, 0 of 2/);
    expect(await run('payment', 'cancel', waiting.transaction_id)).toMatch(/the money is free again/);
    expect(await get(`/circle/transaction/${waiting.transaction_id}`)).toMatchObject({ state: 'CANCELLED' });
    await expect(run('payment', 'cancel', '3f0c9a4e-7b1d-4c58-9e2a-6d5f0b8c1a27')).rejects.toThrow(
      /There is no transaction with that id/,
    );
  });

  it('cancels a signed payment on chain while no block has mined it', async () => {
    await sandbox.turn('/mining', { running: false });
    const destination = randomAddress();
    const sent = await post(`${sandbox.state.web3_url}/wallet/send-usdc`, {
      destination_address: destination,
      amount: 3,
      wallet_username: 'alice',
    });
    const read = () => get(`/circle/transaction/${sent.transaction_id}`);
    const reaches = (state: string) => eventually(async () => expect(await read()).toMatchObject({ state }));
    await reaches('SENT');
    const asked = await post(`${sandbox.state.backend_url}/api/v1/transactions/${sent.transaction_id}/cancel`, {});
    expect(asked.state).toBe('SENT');
    const replaced = async () => expect(JSON.stringify(await read())).toMatch(/carries the cancellation/);
    await eventually(replaced);
    await sandbox.turn('/mining', { running: true });
    await reaches('CANCELLED');
    expect(await balanceOf(destination)).toBe(0n);
  });

  it('is paused and resumed by operators with the right role, and the audit log says by whom', async () => {
    await run('pause', 'add', 'chain:BASE-SEPOLIA', '--why', 'a look at the relayer');
    expect(await run('pause', 'list')).toMatch(/\nchain:BASE-SEPOLIA +operator .*: a look at the relayer\n$/s);
    await sandbox.db.query(`INSERT INTO operators (name, role)
       SELECT rolname, 'admin' FROM pg_roles WHERE rolcanlogin AND rolname <> session_user LIMIT 1`);
    const refused = /is not an operator of this service/;
    await expect(run('pause', 'remove', 'chain:BASE-SEPOLIA')).rejects.toThrow(refused);
    await expect(run('payment', 'import')).rejects.toThrow(refused);
    expect(await run('books', 'check')).toMatch(/^Every move is accounted for/);
    await sandbox.db.query('DELETE FROM operators');
    await run('pause', 'remove', 'chain:BASE-SEPOLIA');
    expect(await run('pause', 'list')).toBe('Nothing is paused.\n');
    const { rows } = await sandbox.db.query(
      `SELECT actor, action, details->>'scope' AS scope FROM audit_log WHERE action LIKE 'payments.%' ORDER BY at`,
    );
    const { rows: login } = await sandbox.db.query('SELECT session_user::text AS name');
    const actor = `operator:${login[0].name}`;
    expect(rows).toEqual([
      { actor, action: 'payments.paused', scope: 'chain:BASE-SEPOLIA' },
      { actor, action: 'payments.resumed', scope: 'chain:BASE-SEPOLIA' },
    ]);
  });

  it('reconciles without a difference, and says so', async () => {
    const stdout = await run('reconcile');
    expect(stdout).toMatch(/ETH-SEPOLIA at block \d+/);
    expect(stdout.match(/coins − ledger: 0\n/g)).toHaveLength(2);
    const ready = (await (await fetch(`${sandbox.state.ops_url}/readyz`)).json()) as Record<string, unknown>;
    expect(ready).toMatchObject({ status: 'ready', paused: [] });
    expect(await (await fetch(`${sandbox.state.ops_url}/metrics`)).text()).toMatch(
      /florin_watcher_block\{blockchain="ETH-SEPOLIA"\} [1-9]/,
    );
    await sandbox.db.query(
      `INSERT INTO wallet_rescans (asset_id, wallet_id, next_block, to_block, fault, retry_at)
       SELECT min(asset_id), (SELECT wallet_id FROM wallets LIMIT 1), 0, 1, 'history has been pruned', 'infinity' FROM assets
       ON CONFLICT (asset_id, wallet_id) DO NOTHING`,
    );
    const failed = await run('reconcile').catch((error: { stdout: string }) => error.stdout);
    expect(failed).toMatch(/is being read again, blocks 0 to 1, but cannot be: history has been pruned\n/);
    expect(failed.match(/coins − ledger: 0\n/g)).toHaveLength(1);
    await sandbox.db.query(`DELETE FROM wallet_rescans WHERE fault = 'history has been pruned'`);
  });
});
