/**
 * Measures how many blocks it takes to mine 1,000 sends that were all waiting when the worker started, with one
 * relayer: blocks of 30 million gas, one per second, and 75 of them until a block is final.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Hex, hexToNumber, toEventSelector } from 'viem';
import type { SandboxState } from '../../sandbox/src/startSandbox.ts';
import { sized } from './short.ts';
import { type BenchSandbox, forEachAtOnce, post, waitFor } from './startBenchSandbox.ts';

const PAYMENTS = sized(1_000, 10);
const AT_ONCE = 32;
const FINALITY_BLOCKS = 75;
const BLOCK_GAS_LIMIT = 30_000_000;
const PATIENCE_MS = 120_000;
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');

interface Mined {
  /** The number of blocks from the end of the stopped worker to the block with the last send. */
  readonly blocks: number;
  /** The same, counted from the first block with one of the sends. */
  readonly blocksFromFirst: number;
}

export async function measureBlocksToMine(sandbox: BenchSandbox, usernames: readonly string[]): Promise<Mined> {
  const { rpc, turn } = sandbox;
  await turn('/faults', { finality_blocks: FINALITY_BLOCKS, block_gas_limit: BLOCK_GAS_LIMIT });
  const { worker } = readState(sandbox).pids;
  process.kill(worker, 'SIGSTOP');
  const destinations = Array.from({ length: PAYMENTS }, (): Hex => `0x${randomBytes(20).toString('hex')}`);
  await forEachAtOnce(destinations, AT_ONCE, async (destination, nth) => {
    await post(`${sandbox.state.web3_url}/wallet/send-usdc`, {
      destination_address: destination,
      amount: 1,
      wallet_username: usernames[nth % usernames.length]!,
    });
  });
  const start = hexToNumber(await rpc<Hex>('eth_blockNumber', []));
  // The sandbox starts another one.
  process.kill(worker, 'SIGKILL');
  const blocks = await waitForTransfers(sandbox, destinations, start);
  await turn('/faults', { finality_blocks: null, block_gas_limit: null });
  await turn('/mine', { blocks: 5 });
  await waitFor(sandbox.db, `SELECT count(*) = 0 AS done FROM payments WHERE state <> 'COMPLETE'`, PATIENCE_MS);
  return { blocks: Math.max(...blocks) - start, blocksFromFirst: Math.max(...blocks) - Math.min(...blocks) + 1 };
}

const readState = ({ dataDir }: BenchSandbox) =>
  JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as SandboxState;

/** The block of each transfer, when every destination has exactly one. */
async function waitForTransfers({ state, rpc }: BenchSandbox, destinations: readonly Hex[], from: number) {
  const wanted = new Set(destinations);
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(500)) {
    const filter = { address: state.chains[0]!.usdc_address, fromBlock: `0x${from.toString(16)}`, topics: [TRANSFER] };
    const logs = await rpc<{ topics: Hex[]; blockNumber: Hex }[]>('eth_getLogs', [{ ...filter, toBlock: 'latest' }]);
    const ours = logs.filter((log) => wanted.has(`0x${log.topics[2]!.slice(26)}`));
    if (ours.length > destinations.length) throw new Error('a send was paid twice');
    if (ours.length === destinations.length) return ours.map((log) => hexToNumber(log.blockNumber));
  }
  throw new Error('not all sends were mined');
}
