/** A fresh sandbox: a first send, a first deposit, approvals, cancelling, pauses, reconciliation. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BenchSandbox, post, startBenchSandbox } from '../../bench/support/startBenchSandbox.ts';
import { filesOf } from '../../sandbox/src/rememberState.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { randomAddress } from '../support/chain/custody.ts';
import { eventually } from '../support/eventually.ts';
import { type Florin, openFlorin } from '../support/florin/openFlorin.ts';
import { fetchChecked } from '../support/http/fetchChecked.ts';
import { operate } from '../support/operate.ts';
import { judgeEndOf } from '../support/properties/judgeEnd.ts';

let sandbox: BenchSandbox;
let florin: Florin;
beforeAll(async () => {
  sandbox = await startBenchSandbox({ FLORIN_APPROVAL_THRESHOLD: '500' });
  florin = openFlorin();
});
afterAll(async () => {
  florin?.close();
  await sandbox?.stop();
});

const balanceOf = async (address: string): Promise<bigint> => {
  const data = `0x70a08231${address.slice(2).padStart(64, '0')}`;
  return BigInt(await sandbox.rpc<string>('eth_call', [{ to: sandbox.state.chains[0]!.usdc_address, data }, 'latest']));
};

const get = async (path: string) =>
  (await fetchChecked(sandbox.state.web3_url + path)).json() as Promise<Record<string, unknown>>;

/** `florin ARGS`; without a database address it finds the sandbox by itself. */
const runOn = (databaseUrl: string, ...args: string[]) =>
  florin.type(args, { FLORIN_DATA_DIR: sandbox.dataDir, DATABASE_URL: databaseUrl });
const run = (...args: string[]) => runOn('', ...args);
const runAs = (operator: 'risk' | 'support', ...args: string[]) =>
  run(...args, '--env-file', filesOf(sandbox.dataDir)[`${operator}Env`]);

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

  it('credits faucet coins once, as a deposit', async () => {
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

  it('makes a large send wait for two operators, answers after `Prefer: wait`, and an operator cancels it', async () => {
    const answer = await fetchChecked(`${sandbox.state.web3_url}/wallet/send-usdc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'wait=1' },
      body: JSON.stringify({ destination_address: randomAddress(), amount: 500, wallet_username: 'alice' }),
    });
    const waiting = (await answer.json()) as { transaction_id: string; state: string; timeline: { note: string }[] };
    expect([answer.status, waiting.state]).toEqual([200, 'INITIATED']);
    expect(waiting.timeline[0]!.note).toMatch(/waits for approval by two operators, 0 of 2/);
    expect(await run('payment', 'cancel', waiting.transaction_id)).toMatch(/the money is available again/);
    expect(await get(`/circle/transaction/${waiting.transaction_id}`)).toMatchObject({ state: 'CANCELLED' });
    await expect(run('payment', 'cancel', '3f0c9a4e-7b1d-4c58-9e2a-6d5f0b8c1a27')).rejects.toThrow(
      /there is no payment 3f0c9a4e/,
    );
  });

  it('pays a large send that two of its operators have approved, and support is none of them', async () => {
    const destination = randomAddress();
    const { transaction_id: id } = await post(`${sandbox.state.web3_url}/wallet/send-usdc`, {
      destination_address: destination,
      amount: 500,
      wallet_username: 'alice',
    });
    const approve = ['payment', 'approve', String(id)];
    await expect(runAs('support', ...approve)).rejects.toThrow(/florin_support has the role support/);
    expect(await runAs('risk', ...approve)).toBe('Approved: 1 of 2.\n');
    await expect(runAs('risk', ...approve)).rejects.toThrow(/another person/);
    expect(await run(...approve)).toBe('Approved: 2 of 2.\n');
    await eventually(async () => expect(await get(`/circle/transaction/${id}`)).toMatchObject({ state: 'COMPLETE' }));
    expect(await balanceOf(destination)).toBe(500_000_000n);
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
    const replaced = async () => expect(JSON.stringify(await read())).toMatch(/its cancellation was sent/);
    await eventually(replaced);
    await sandbox.turn('/mining', { running: true });
    await reaches('CANCELLED');
    expect(await balanceOf(destination)).toBe(0n);
  });

  it('is paused and resumed by operators with the right role, and the audit log says by whom', async () => {
    await run('pause', 'add', 'chain:BASE-SEPOLIA', '--why', 'relayer maintenance');
    expect(await run('pause', 'list')).toMatch(/\nchain:BASE-SEPOLIA +operator .*: relayer maintenance\n$/s);
    const refused = /florin_support has the role support, which may not do this/;
    await expect(runAs('support', 'pause', 'remove', 'chain:BASE-SEPOLIA')).rejects.toThrow(refused);
    await expect(runAs('support', 'payment', 'import')).rejects.toThrow(refused);
    expect(await runAs('support', 'books', 'check')).toMatch(/^Every move is accounted for/);
    await runAs('risk', 'pause', 'remove', 'chain:BASE-SEPOLIA');
    expect(await run('pause', 'list')).toBe('Nothing is paused.\n');
    const { rows } = await sandbox.db.query(
      `SELECT actor, action, details->>'scope' AS scope FROM audit_log WHERE action LIKE 'payments.%' ORDER BY at`,
    );
    expect(rows).toEqual([
      { actor: 'operator:florin_admin', action: 'payments.paused', scope: 'chain:BASE-SEPOLIA' },
      { actor: 'operator:florin_risk', action: 'payments.resumed', scope: 'chain:BASE-SEPOLIA' },
    ]);
  });

  it('reconciles without a difference, and reports it', async () => {
    const stdout = await run('reconcile');
    expect(stdout).toMatch(/ETH-SEPOLIA at block \d+/);
    expect(stdout.match(/coins − ledger: 0\n/g)).toHaveLength(2);
    // Neither waits long for a busy database.
    await eventually(async () => {
      const ready = (await (await fetch(`${sandbox.state.ops_url}/readyz`)).json()) as Record<string, unknown>;
      expect(ready).toMatchObject({ status: 'ready', paused: [] });
      const metrics = await (await fetch(`${sandbox.state.ops_url}/metrics`)).text();
      expect(metrics).toMatch(/florin_watcher_block\{blockchain="ETH-SEPOLIA"\} [1-9]/);
    });
    await sandbox.db.query(
      `INSERT INTO wallet_rescans (asset_id, wallet_id, next_block, to_block, fault, retry_at)
       SELECT min(asset_id), (SELECT wallet_id FROM wallets LIMIT 1), 0, 1, 'history has been pruned', 'infinity' FROM assets
       ON CONFLICT (asset_id, wallet_id) DO NOTHING`,
    );
    const failed = await run('reconcile').catch((error: { stdout: string }) => error.stdout);
    expect(failed).toMatch(/is being read again, blocks 0 to 1, but this fails: history has been pruned\n/);
    expect(failed.match(/coins − ledger: 0\n/g)).toHaveLength(1);
    await sandbox.db.query(`DELETE FROM wallet_rescans WHERE fault = 'history has been pruned'`);
  });
});

describe('an operator with only florin', () => {
  const ask = async (...args: string[]) => JSON.parse(await run(...args, '--json')) as Record<string, unknown>;
  /** The exit code and output of a command that fails. */
  const fail = (...args: string[]) =>
    run(...args).then(
      () => ({ code: 0, stdout: '', stderr: '' }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );

  it('answers what people ask, one command each', async () => {
    const [alice, bob] = sandbox.state.users;
    const paid = await post(`${sandbox.state.backend_url}/api/v1/send_usdc`, {
      sender_user_id: alice!.user_id,
      receiver_username: bob!.username,
      amount: 1.5,
    });
    const sent = await post(`${sandbox.state.web3_url}/wallet/send-usdc`, {
      destination_address: randomAddress(),
      amount: 2,
      wallet_username: 'alice',
    });
    await eventually(async () =>
      expect(await ask('payment', 'show', String(sent.transaction_id))).toMatchObject({ state: 'COMPLETE' }),
    );

    // Where is my payment? By its id, and by its hash.
    const shown = await run('payment', 'show', String(sent.transaction_id));
    expect(shown).toMatch(/state +COMPLETE\n.*amount +2 USDC on ETH-SEPOLIA\nfrom +alice, user /s);
    const hash = /^hash +(0x[0-9a-f]{64})$/m.exec(shown)![1]!;
    expect(await run('payment', 'show', hash)).toBe(shown);
    expect(await run('payment', 'show', String(paid.transaction_id))).toMatch(
      /between people\n.*from +alice, .*to +bob, /s,
    );
    // How much do I have, what happened, why can I not pay? By name, id, address and email address.
    const who = [alice!.username, alice!.user_id, alice!.address, alice!.email];
    const people = await Promise.all(who.map((name) => ask('user', 'show', name)));
    for (const person of people)
      expect(person).toMatchObject({
        user_id: alice!.user_id,
        username: 'alice',
        kyc_status: 'approved',
        paused_because: null,
      });
    expect(await run('user', 'show', 'alice')).toMatch(/-2 USDC to 0x.*\n.*\n.*-1\.5 USDC to bob, COMPLETE, leaves /);
    // I have sent coins and see nothing.
    const [deposit] = (await ask('deposit', 'show', alice!.address)) as unknown as Record<string, unknown>[];
    expect(await run('deposit', 'show', String(deposit!.tx_hash))).toMatch(/state +credited\n/);
    expect(await run('deposit', 'show', String(deposit!.transaction_id))).toMatch(/state +credited\n/);
    const stranger = (await sandbox.turn('/faucet', { address: randomAddress(), usdc: '5' })) as { tx_hash: string };
    await eventually(async () => {
      const elsewhere = await fail('deposit', 'show', stranger.tx_hash);
      expect([elsewhere.code, elsewhere.stdout.replace(/\s+/g, ' ')]).toEqual([
        1,
        expect.stringMatching(/not one of our wallets/),
      ]);
    });
    expect((await fail('deposit', 'show', hash)).stderr).toMatch(/one\s+of\s+our\s+payments/);
    expect((await fail('deposit', 'show', `0x${'12'.repeat(32)}`)).code).toBe(3);
    // Whose address is this?
    expect(await run('wallet', 'show', alice!.address)).toMatch(/owner +alice, user /);
    expect(await fail('wallet', 'show', randomAddress())).toMatchObject({ code: 3 });
    // Where am I logged in? Stop my payments. What did you do? Her own session, and one for the examples in the
    // documents; more if the signer was slow at her first login.
    const { rows: open } = await sandbox.db.query('SELECT FROM sessions WHERE user_id = $1', [alice!.user_id]);
    expect(open.length).toBeGreaterThanOrEqual(2);
    expect(await ask('user', 'sessions', 'alice')).toHaveLength(open.length);
    await run('pause', 'add', 'user:alice', '--why', 'her phone was stolen');
    expect(await run('user', 'show', 'alice')).toMatch(
      /paused +YES, by operator:\S+ since .*:\s+her\s+phone\s+was\s+stolen\n/,
    );
    await run('pause', 'remove', `user:${alice!.address}`);
    expect(await run('audit', '--user', 'alice', '--action', 'payments')).toMatch(
      /payments\.resumed by operator:.*payments\.paused by operator:.*her phone was stolen/s,
    );
  });

  it('sees gas, nodes and books, rescans a wallet, and everything fits a hundred columns', async () => {
    expect(await run('relayer', 'fund-address', 'ETH-SEPOLIA')).toMatch(
      /address +0x[0-9a-fA-F]{40}\n.*send it +nothing: it has enough\n/s,
    );
    expect(await run('relayer', 'list')).toMatch(/works\n/);
    expect(await run('doctor')).toMatch(/\nEverything is in order\.\n$/);
    expect(await run('wallet', 'rescan', 'alice', 'ETH-SEPOLIA')).toMatch(/A worker is reading it now/);
    const commands = [
      ['payment', 'waiting'],
      ['user', 'show', 'alice'],
      ['deposit', 'show', sandbox.state.users[0]!.address],
      ['wallet', 'show', 'treasury'],
      ['pause', 'list'],
      ['limit', 'list'],
      ['limit', 'history'],
      ['key', 'list'],
      ['operator', 'list'],
      ['audit'],
      ['books', 'check'],
      ['relayer', 'list'],
      ['restore', 'list'],
    ];
    const db = openDatabase(sandbox.state.database_url, { maxConnections: 2 });
    for (const args of commands) {
      const said = await operate(db, ...args);
      expect(said.split('\n').filter((line) => [...line].length > 100)).toEqual([]);
      expect(said).toMatch(/\S\n$/);
    }
    await db.close();
    const evened = async () => expect(await ask('reconcile')).toMatchObject([{ difference: '0' }, { difference: '0' }]);
    await eventually(evened);
  });

  it('finds a dead node', async () => {
    const [chain] = sandbox.state.chains;
    const dead = [{ blockchain: chain!.blockchain, chain_id: chain!.chain_id, rpc_urls: ['http://127.0.0.1:9/key'] }];
    const env = { FLORIN_DATA_DIR: sandbox.dataDir, DATABASE_URL: '', FLORIN_CHAINS: JSON.stringify(dead) };
    const stdout = await florin.type(['doctor'], env).catch((error: { stdout: string }) => error.stdout);
    expect(stdout).toMatch(/networks +FAULT +ETH-SEPOLIA: 127\.0\.0\.1:9 does not answer: /);
    expect(stdout).not.toContain('/key');
  });
});

describe('an operator on a bad day, with only florin', () => {
  /** Its output, also when it fails; a terminal has a hundred columns. */
  const typeOn = async (databaseUrl: string, args: string[]) => {
    const said = await runOn(databaseUrl, ...args).catch(({ stdout, stderr }) => stdout + stderr);
    for (const line of said.split('\n')) expect([...line].length).toBeLessThanOrEqual(100);
    return said as string;
  };
  const type = (...args: string[]) => typeOn('', args);
  /** With the database login of this operator. */
  const typeAs = (login: string, ...args: string[]) =>
    typeOn(Object.assign(new URL(sandbox.state.database_url), { username: login, password: 'x' }).href, args);
  /**
   * The service stops when it sees a difference, and continues only when an operator says so. It may not have seen it
   * yet.
   */
  const endDrift = async () => {
    if (/drift/.test(await type('pause', 'list')))
      await typeAs('day_anna', 'pause', 'remove', 'chain:ETH-SEPOLIA', '--cause', 'drift');
  };
  const complete = (id: unknown) =>
    eventually(async () => expect(await type('payment', 'show', String(id))).toMatch(/state +COMPLETE\n/));
  const send = (amount: number, destination_address = randomAddress()) =>
    post(`${sandbox.state.web3_url}/wallet/send-usdc`, { destination_address, amount });

  it('finds a relayer without gas, reads where to send how much, and sees it work again', async () => {
    const [before] = JSON.parse(await run('relayer', 'fund-address', 'ETH-SEPOLIA', '--json'));
    const starve = async (): Promise<Record<string, unknown>> => {
      await sandbox.turn('/drain', { address: before.address });
      const sent = await send(1.25).catch(() => undefined);
      if (sent) return sent;
      // The worker has checked in between, and no longer takes sends.
      await sandbox.turn('/faucet', { address: before.address, eth: '1' });
      await eventually(async () => expect(await type('pause', 'list')).toBe('Nothing is paused.\n'));
      return starve();
    };
    const waiting = await starve();
    await eventually(async () => expect(await type('relayer', 'list')).toMatch(/ETH-SEPOLIA .* has no gas/));
    expect(await type('payment', 'show', String(waiting.transaction_id))).toMatch(/gas/);
    expect(await type('doctor')).toMatch(/gas +FAULT +ETH-SEPOLIA/);
    const asked = await type('relayer', 'fund-address', 'ETH-SEPOLIA');
    const [, coins] = /send it +([\d.]+) coins\n/.exec(asked)!;
    await sandbox.turn('/faucet', { address: before.address, eth: coins });
    await complete(waiting.transaction_id);
    await eventually(async () => expect(await type('relayer', 'list')).not.toMatch(/has no gas/));
  });

  it('finds a difference, which two people book to loss', async () => {
    await sandbox.db.query(
      `SELECT ledger_apply(gen_random_uuid(), 'deposit', chain.account_id, alice.account_id, 3000000, NULL, NULL)
         FROM accounts chain JOIN accounts alice USING (asset_id) JOIN assets USING (asset_id) JOIN networks n USING (network_id)
        WHERE chain.kind = 'chain' AND alice.user_id = $1 AND n.blockchain = 'ETH-SEPOLIA'`,
      [sandbox.state.users[0]!.user_id],
    );
    expect(await type('reconcile')).toMatch(/coins − ledger: -3\n/);
    const { rows } = await sandbox.db.query<{ prefix: string }>('SELECT prefix FROM role_names');
    for (const login of ['day_anna', 'day_rita'])
      await sandbox.db.query(`CREATE ROLE ${login} LOGIN PASSWORD 'x' IN ROLE "${rows[0]!.prefix}_operator"`);
    await type('operator', 'add', 'day_anna', '--role', 'admin');
    await typeAs('day_anna', 'operator', 'add', 'day_rita', '--role', 'risk');
    const said = await typeAs('day_anna', 'books', 'correct', 'ETH-SEPOLIA', '--less', '3', '--why', 'booked by hand');
    const [, id] = /florin books approve (\S+)\n$/.exec(said)!;
    expect(await typeAs('day_anna', 'books', 'approve', id!)).toMatch(/another person must approve it/);
    expect(await type('books', 'check')).toMatch(/Corrections that wait for a second person.*booked by hand/s);
    expect(await typeAs('day_rita', 'books', 'approve', id!)).toBe('Booked.\n');
    expect((await type('reconcile')).match(/coins − ledger: 0\n/g)).toHaveLength(2);
    await endDrift();
    expect(await type('pause', 'list')).toBe('Nothing is paused.\n');
  });

  it('refunds a payment', async () => {
    const [alice, bob] = sandbox.state.users;
    const wish = { sender_user_id: alice!.user_id, receiver_username: bob!.username, amount: 4 };
    const paid = await post(`${sandbox.state.backend_url}/api/v1/send_usdc`, wish);
    const said = await typeAs('day_rita', 'payment', 'refund', String(paid.transaction_id), '--why', 'never came');
    const [, refund] = /^Refunded: 4 USDC, in payment (\S+)\.\n$/.exec(said)!;
    expect(await type('payment', 'show', refund!)).toMatch(new RegExp(`refund of +${paid.transaction_id}`));
  });

  it('restores a backup while everything runs, and everyone has their own money', async () => {
    const url = new URL(sandbox.state.database_url);
    const name = url.pathname.slice(1);
    await sandbox.db.end();
    const admin = new pg.Client({ connectionString: Object.assign(url, { pathname: '/postgres' }).href });
    await admin.connect();
    const aside = async (...statements: string[]) => {
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await admin.query('SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1', [name]);
      for (const statement of statements) await admin.query(statement);
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    };
    await aside(`CREATE DATABASE backup TEMPLATE ${name}`);
    const destination = randomAddress();
    const sent = await eventually(() => send(2.5, destination));
    await complete(sent.transaction_id);
    await aside(`ALTER DATABASE ${name} RENAME TO lost`, `ALTER DATABASE backup RENAME TO ${name}`);
    await admin.end();

    // The steps of docs/operating/restore.md.
    await eventually(async () =>
      expect(await typeAs('day_anna', 'restore', 'note', '--why', 'the disk failed')).toMatch(/^Recorded/),
    );
    await typeAs('day_anna', 'pause', 'add', 'chain', '--signing', '--why', 'restored');
    await eventually(async () => expect(await type('books', 'check')).toMatch(/move +0x.*\namount +2\.5 USDC\n/));
    await typeAs('day_anna', 'restore', 'confirm', 'keys');
    expect(await typeAs('day_anna', 'payment', 'import')).toMatch(/^0x[0-9a-f]{64} \d+: payment\s[0-9a-f-]{36}\n/);
    expect(await type('books', 'check')).toMatch(/^Every move is accounted for/);
    await eventually(async () => expect(await type('relayer', 'list')).not.toMatch(/nonces|stopped/));
    expect((await type('reconcile')).match(/coins − ledger: 0\n/g)).toHaveLength(2);
    await typeAs('day_anna', 'pause', 'remove', 'chain');
    await endDrift();
    expect(await type('pause', 'list')).toBe('Nothing is paused.\n');
    await complete((await send(0.5, destination)).transaction_id);
    expect(await balanceOf(destination)).toBe(3_000_000n);
  });
});

it('in the end everything has ended, and every balance is explained', async () => {
  expect(await judgeEndOf({ databaseUrl: sandbox.state.database_url })).toEqual([]);
});
