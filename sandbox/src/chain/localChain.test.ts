import { type ChildProcess, fork } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Hex, keccak256, numberToHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ARTIFACTS, hashSources } from '../../../scripts/compileContracts.ts';
import { isAlive, waitForExit } from '../processes.ts';
import { OPERATOR_KEY, places } from './genesis.ts';
import { compact, type Entry } from './journal.ts';
import { type LocalChain, openLocalChain } from './openLocalChain.ts';
import { operateToken } from './operateToken.ts';
import { type ServedChain, serveLocalChain } from './serveLocalChain.ts';
import { startChains } from './startChains.ts';

const place = places['ETH-SEPOLIA'];
const operator = privateKeyToAccount(OPERATOR_KEY);
const someone = '0x00000000000000000000000000000000000A11cE' as const;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'florin-chain-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const sign = (nonce: number, fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }) =>
  operator.signTransaction({
    type: 'eip1559',
    chainId: place.chainId,
    nonce,
    to: someone,
    value: 1n,
    gas: 21_000n,
    ...fees,
  });

const hashOf = async (chain: LocalChain, height = chain.head) =>
  (await chain.read<{ hash: Hex }>('eth_getBlockByNumber', [numberToHex(height), false])).hash;

describe('the contracts', () => {
  it('were compiled from the current sources (npm run contracts)', () => {
    expect(JSON.parse(readFileSync(ARTIFACTS, 'utf8')).sources).toBe(hashSources());
  });
});

describe('the journal', () => {
  it('leaves out what was undone and writes runs of empty blocks as one entry', () => {
    const entries: Entry[] = [
      ['mine', 10, 1],
      ['mine', 11, 1],
      ['send', '0x01'],
      ['mine', 12, 1],
      ['mine', 13, 3],
      ['send', '0x02'],
      ['rewind', 4],
      ['mine', 15, 1],
    ];
    expect(compact(entries)).toEqual([
      ['mine', 10, 2],
      ['send', '0x01'],
      ['mine', 12, 2],
      ['mine', 15, 1],
    ]);
  });

  it('gives the same block hashes when replayed, with reorgs, refusals and an incomplete last line', async () => {
    const journalFile = join(folder, 'same.journal');
    const first = await openLocalChain({ place, journalFile, mining: 'demand' });
    const token = operateToken(first);
    await first.mine({ count: 70 });
    await token.mint(someone, 5_000_000n);
    await first.mine();
    await token.sendGas(someone, 7n);
    await first.mine({ count: 2 });
    await expect(first.broadcast(await sign(0))).rejects.toThrow(/nonce too low/i);
    first.setBaseFee(50_000_000_000n);
    await first.mine();
    first.setBaseFee(undefined);
    await first.reorg(3, 'return');
    await first.mine({ count: 20, advanceSeconds: 30 });
    await first.reorg(5, 'drop');
    await first.broadcast(await sign(2));
    const [height, head, middle] = [first.head, await hashOf(first), await hashOf(first, 72)];
    await first.close();
    appendFileSync(journalFile, '["mine",17000');

    const second = await openLocalChain({ place, journalFile, mining: 'demand' });
    expect([second.head, await hashOf(second), await hashOf(second, 72)]).toEqual([height, head, middle]);
    expect(await second.read('eth_getTransactionCount', [operator.address, 'latest'])).toBe('0x2');
    await second.mine();
    expect(await second.read('eth_getTransactionCount', [operator.address, 'latest'])).toBe('0x3');
    await second.reorg(100 > second.head ? second.head : 90, 'drop');
    expect(second.head).toBe(height + 2);
    await second.close();
  });
});

describe('after a restart', () => {
  const SWITCHES: readonly (readonly [path: string, body: object])[] = [
    ['/faucet', { address: someone, usdc: '7', eth: '1' }],
    ['/mine', { blocks: 3, advance_seconds: 90 }],
    ['/drain', { address: someone }],
    ['/mine', {}],
    ['/faults', { base_fee_wei: '70000000000', block_gas_limit: 1_000_000 }],
    ['/mine', { blocks: 2 }],
    ['/token', { blacklist: someone, paused: true }],
    ['/mine', {}],
    ['/faults', { base_fee_wei: null }],
    ['/price', { pair: 'ETH/USD', price: '1234.5' }],
    ['/mine', {}],
    // The reorg undoes blocks before and after a drain, and blocks of both sizes.
    ['/faults', { block_gas_limit: null }],
    ['/faucet', { address: someone, eth: '2' }],
    ['/mine', { blocks: 2 }],
    ['/drain', { address: someone }],
    ['/faucet', { address: someone, eth: '0.5' }],
    ['/mine', { blocks: 2 }],
    ['/reorg', { depth: 3, orphans: 'return' }],
    [
      '/faults',
      { block_gas_limit: 2_000_000, finality_blocks: 1, rpc: { behind_blocks: 2 }, broadcast: { kind: 'drop' } },
    ],
    ['/reorg', { depth: 9, orphans: 'drop' }],
    ['/drain', { address: operator.address }],
    ['/mining', { running: false }],
    ['/mine', { blocks: 2 }],
    ['/drain', { address: someone }],
  ];
  const open = async (journalFile: string) => {
    const chain = await openLocalChain({ place, journalFile, mining: 'demand' });
    const served = await serveLocalChain(chain, 'ETH-SEPOLIA');
    const close = async () => {
      await served.close();
      await chain.close();
    };
    return { chain, url: served.url, close };
  };
  const listHashes = (chain: LocalChain) =>
    Promise.all(Array.from({ length: chain.head + 1 }, (_, height) => hashOf(chain, height)));
  const gasOf = (chain: LocalChain) =>
    Promise.all([someone, operator.address].map((one) => chain.read('eth_getBalance', [one, 'latest'])));

  it('every switch has left the same blocks and the same balances', async () => {
    const journalFile = join(folder, 'switches.journal');
    const first = await open(journalFile);
    const { switches } = (await (await fetch(`${first.url}/none`)).json()) as { switches: string[] };
    const posted = switches.filter((one) => one.startsWith('POST')).sort();
    expect(posted).toEqual([...new Set(SWITCHES.map(([path]) => `POST ${path}`))].sort());
    for (const [path, body] of SWITCHES) {
      const answer = await fetch(first.url + path, { method: 'POST', body: JSON.stringify(body) });
      expect([path, body, answer.status]).toEqual([path, body, 200]);
      // At every moment, a sandbox that starts now has the same chain.
      const copy = `${journalFile}.copy`;
      copyFileSync(journalFile, copy);
      const again = await openLocalChain({ place, journalFile: copy, mining: 'demand' });
      expect([path, body, await listHashes(again)]).toEqual([path, body, await listHashes(first.chain)]);
      expect(await gasOf(again)).toEqual(await gasOf(first.chain));
      await again.close();
    }
    await first.close();
    const second = await open(journalFile);
    expect(await gasOf(second.chain)).toEqual(['0x0', '0x0']);
    await second.close();
  });

  it('a reorg repeats earlier blocks under the gas limit of their time', async () => {
    const chain = await openLocalChain({ place, mining: 'demand' });
    const limitOf = async (height: number) =>
      (await chain.read<{ gasLimit: Hex }>('eth_getBlockByNumber', [numberToHex(height), false])).gasLimit;
    for (const gas of [2_000_000n, undefined, 1_000_000n]) {
      chain.setGasLimit(gas);
      await chain.mine();
    }
    const before = [await hashOf(chain, 1), await hashOf(chain, 2)];
    await chain.reorg(1, 'return');
    expect([await hashOf(chain, 1), await hashOf(chain, 2)]).toEqual(before);
    expect([await limitOf(1), await limitOf(2)]).toEqual([numberToHex(2_000_000), numberToHex(60_000_000)]);
    await chain.close();
  });

  it('a reorg does not undo a drain', async () => {
    const journalFile = join(folder, 'drained.journal');
    const first = await open(journalFile);
    await fetch(`${first.url}/faucet`, { method: 'POST', body: JSON.stringify({ address: someone, eth: '1' }) });
    await first.chain.mine({ count: 3 });
    await fetch(`${first.url}/drain`, { method: 'POST', body: JSON.stringify({ address: someone }) });
    await first.chain.mine();
    await first.chain.reorg(2, 'drop');
    const [gas] = await gasOf(first.chain);
    await first.close();
    expect(gas).toBe('0x0');
  });
});

describe('over HTTP', () => {
  let chain: LocalChain;
  let served: ServedChain;
  beforeAll(async () => {
    chain = await openLocalChain({ place, mining: 'demand' });
    served = await serveLocalChain(chain, 'ETH-SEPOLIA');
    await chain.mine({ count: 10 });
  });
  afterEach(() => turn('DELETE', '/faults'));
  afterAll(async () => {
    await served.close();
    await chain.close();
  });

  const turn = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(served.url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const rpc = async (method: string, ...params: unknown[]) => {
    const { body } = await turn('POST', '/', { jsonrpc: '2.0', id: 1, method, params });
    return (body.error as { message: string } | undefined)?.message ?? body.result;
  };

  it('reports the block three behind the head as finalized', async () => {
    const block = (await rpc('eth_getBlockByNumber', 'finalized', false)) as { number: Hex };
    expect(block.number).toBe(numberToHex(chain.head - 3));
  });

  it('has the error messages of go-ethereum', async () => {
    const raw = await sign(0);
    expect(await rpc('eth_sendRawTransaction', raw)).toBe(keccak256(raw));
    expect(await rpc('eth_sendRawTransaction', raw)).toBe('already known');
    const fees = { maxFeePerGas: 3_100_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
    expect(await rpc('eth_sendRawTransaction', await sign(0, fees))).toBe('replacement transaction underpriced');
    await chain.mine();
    expect(await rpc('eth_sendRawTransaction', raw)).toBe('nonce too low: next nonce 1, tx nonce 0');
    const poor = privateKeyToAccount(keccak256('0x01'));
    const unfunded = await poor.signTransaction({
      chainId: place.chainId,
      nonce: 0,
      to: someone,
      gas: 21_000n,
      maxFeePerGas: 9n ** 9n,
    });
    expect(await rpc('eth_sendRawTransaction', unfunded)).toBe('insufficient funds for gas * price + value');
    expect(await rpc('evm_mine')).toMatch('does not exist');
  });

  it('drops, delays, refuses and loses broadcasts on demand', async () => {
    const raw = await sign(1);
    const isKnown = async () => (await rpc('eth_getTransactionByHash', keccak256(raw))) !== null;
    await turn('POST', '/faults', { broadcast: { kind: 'drop' } });
    expect([await rpc('eth_sendRawTransaction', raw), await isKnown()]).toEqual([keccak256(raw), false]);
    await turn('POST', '/faults', { broadcast: { kind: 'refuse', message: 'nonce too high' } });
    expect([await rpc('eth_sendRawTransaction', raw), await isKnown()]).toEqual(['nonce too high', false]);
    await turn('POST', '/faults', { broadcast: { kind: 'delay', delay_ms: 3_000 } });
    expect([await rpc('eth_sendRawTransaction', raw), await isKnown()]).toEqual([keccak256(raw), false]);
    await expect.poll(isKnown).toBe(true);
    await chain.mine();
    const lost = await sign(2);
    await turn('POST', '/faults', { broadcast: { kind: 'lose_answer' } });
    await expect(rpc('eth_sendRawTransaction', lost)).rejects.toThrow('fetch failed');
    expect(await rpc('eth_sendRawTransaction', lost)).toBe('already known');
    await chain.mine();
  });

  it('lags, answers slowly or not at all on demand', async () => {
    await turn('POST', '/faults', { rpc: { behind_blocks: 5, nonce_offset: -2 } });
    expect(await rpc('eth_blockNumber')).toBe(numberToHex(chain.head - 5));
    expect(await rpc('eth_getBlockByNumber', numberToHex(chain.head), false)).toBeNull();
    await turn('POST', '/faults', { rpc: { down: true } });
    await expect(rpc('eth_blockNumber')).rejects.toThrow('fetch failed');
    await turn('POST', '/faults', { rpc: null, base_fee_wei: '90000000000' });
    await turn('POST', '/mine', { blocks: 2 });
    expect(await rpc('eth_getBlockByNumber', 'latest', false)).toMatchObject({
      baseFeePerGas: numberToHex(90_000_000_000),
    });
  });

  it('replaces blocks; their transactions are mined again or lost', async () => {
    const raw = await sign(3, { maxFeePerGas: 900_000_000_000n, maxPriorityFeePerGas: 1n });
    await rpc('eth_sendRawTransaction', raw);
    await chain.mine({ count: 2 });
    const [height, replaced] = [chain.head, await hashOf(chain, chain.head - 1)];
    expect((await turn('POST', '/reorg', { depth: 2 })).body.head).toBe(height + 1);
    expect(await hashOf(chain, height - 1)).not.toBe(replaced);
    expect(await rpc('eth_getTransactionReceipt', keccak256(raw))).toMatchObject({
      blockNumber: numberToHex(height + 1),
    });
    await turn('POST', '/reorg', { depth: 1, orphans: 'drop' });
    expect(await rpc('eth_getTransactionByHash', keccak256(raw))).toBeNull();
    expect(await rpc('eth_sendRawTransaction', raw)).toBe(keccak256(raw));
  });

  it('mints, and reports what is wrong with a request', async () => {
    const { body } = await turn('POST', '/faucet', { address: someone, usdc: '12.5', eth: '0.1' });
    await chain.mine();
    expect(await rpc('eth_getTransactionReceipt', body.tx_hash)).toMatchObject({ status: '0x1' });
    expect(await turn('POST', '/faucet', { address: '0x12', usdc: '1' })).toMatchObject({ status: 400 });
    expect(await turn('POST', '/reorg', { depth: 10_000 })).toMatchObject({ status: 400 });
    expect(await turn('POST', '/nothing', {})).toMatchObject({ status: 404 });
    expect(await turn('POST', '/mine', {}, { origin: 'https://evil.example' })).toMatchObject({ status: 403 });
  });
});

describe('as a process', () => {
  const headOf = async (url: string) => (await (await fetch(url)).json()) as { head: number; running: boolean };

  it('mines every second; after a kill or a restart it has the same port and blocks', async () => {
    const dataDir = join(folder, 'process');
    const first = await startChains({ dataDir });
    expect(first.chains.map((chain) => [chain.blockchain, chain.chain_id])).toEqual([
      ['ETH-SEPOLIA', 31_337],
      ['BASE-SEPOLIA', 31_338],
    ]);
    const url = first.chains[0]!.rpc_url;
    await fetch(`${url}/faucet`, { method: 'POST', body: JSON.stringify({ address: someone, usdc: '3' }) });
    await expect.poll(async () => (await headOf(url)).head).toBeGreaterThanOrEqual(2);
    const call = (method: string, params: unknown[]) =>
      fetch(url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) }).then((answer) =>
        answer.json(),
      );
    const seen = await call('eth_getBlockByNumber', ['0x2', false]);
    const killed = first.pid;
    process.kill(killed, 'SIGKILL');
    await expect.poll(() => headOf(url).catch(() => undefined)).toBeTruthy();
    await expect.poll(() => first.pid).not.toBe(killed);
    expect(await call('eth_getBlockByNumber', ['0x2', false])).toEqual(seen);
    first.kill();
    await waitForExit(first.pid, 60_000);

    const second = await startChains({ dataDir });
    expect(second.chains[0]!.rpc_url).toBe(url);
    expect(await call('eth_getBlockByNumber', ['0x2', false])).toEqual(seen);
    await fetch(`${url}/mining`, { method: 'POST', body: '{"running":false}' });
    expect((await headOf(url)).running).toBe(false);
    await second.stop();
    expect(isAlive(second.pid)).toBe(false);
  });

  it('leaves signals to its parent, which a terminal or a service manager also signals', async () => {
    const lines: string[] = [];
    const chains = await startChains({ dataDir: join(folder, 'signalled'), log: (line) => lines.push(line) });
    const { pid } = chains;
    const url = chains.chains[0]!.rpc_url;
    const { head } = await headOf(url);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
    await expect.poll(async () => (await headOf(url).catch(() => undefined))?.head).toBeGreaterThan(head);
    expect([chains.pid, lines]).toEqual([pid, []]);
    await chains.stop();
    expect([isAlive(pid), lines]).toEqual([false, []]);
  });

  it('ends when its parent is killed', async () => {
    const script = join(folder, 'parent.ts');
    const module = JSON.stringify(new URL('startChains.ts', import.meta.url).href);
    writeFileSync(
      script,
      `import(${module}).then(({ startChains }) => startChains()).then(({ pid }) => process.send(pid));`,
    );
    const parent: ChildProcess = fork(script, { execArgv: ['--import', import.meta.resolve('tsx')] });
    const pid = await new Promise<number>((done) => parent.once('message', (message) => done(message as number)));
    parent.kill('SIGKILL');
    expect(await waitForExit(pid, 60_000)).toBe(true);
  });
});
