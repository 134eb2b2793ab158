/**
 * A blockchain that is only a JSON-RPC server: 75 blocks that are not final, each with 200 transfers of other people's
 * USDC, and dust for wallets of ours on demand. The real adapter queries it, and every call is counted.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getAddress, type Hex, hexToBigInt, numberToHex, pad } from 'viem';
import { TRANSFER } from '../../server/src/adapters/chain/usdcAbi.ts';
import { viemChain } from '../../server/src/adapters/chain/viemChain.ts';
import type { Chain } from '../../server/src/core/ports.ts';
import { eip3009Rail } from '../../server/src/custody/eip3009/eip3009Rail.ts';
import { type Network, openNetwork } from '../../server/src/custody/network.ts';
import type { CustodyApp } from '../../server/src/custody/rail.ts';
import type { Db } from '../../server/src/db/database.ts';
import { trackPayments } from '../../server/src/payments/tracking/trackPayments.ts';
import { sized } from './short.ts';

const UNFINAL_BLOCKS = 75;
const FOREIGN_TRANSFERS = sized(200, 20);
const DUST = sized(20_000, 100);
const CHAIN_ID = 11_155_111;
const USDC = getAddress('0x1c7d4b196cb0c7b01d743fbc6116a902379c7238');

export interface WorldPoll {
  /** JSON-RPC calls, and time. */
  readonly calls: number;
  readonly ms: number;
}

export interface PollWorld {
  /** One poll after one new block. */
  poll(): Promise<WorldPoll>;
  /** Deposits credited per second, of dust in one block to these wallets of ours. */
  creditDust(receivers: readonly Hex[]): Promise<number>;
  close(): Promise<void>;
}

/** A chain for the wallets in the database, which the watcher has begun to follow. */
export async function openPollWorld(db: Db, blockchain: string): Promise<PollWorld> {
  const node = await serveBlocks();
  const network = await open(db, blockchain, node.url);
  // Reading the chain queries only the database and the nodes.
  const app = { db, rails: { local: eip3009Rail } } as unknown as CustodyApp;
  const poll = async (): Promise<WorldPoll> => {
    node.mine();
    const before = node.calls;
    const began = performance.now();
    await track(app, network);
    return { ms: performance.now() - began, calls: node.calls - before };
  };
  // The first poll begins, the second reads every wallet, because all are new to this chain. Autovacuum would remove
  // the dead rows a minute later; this does not wait for it.
  await track(app, network);
  await poll();
  await db.query('VACUUM ANALYZE wallet_rescans');
  return {
    poll,
    async creditDust(receivers) {
      node.mine(receivers);
      await track(app, network);
      for (let i = 0; i < UNFINAL_BLOCKS - 1; i++) node.mine();
      await track(app, network);
      const { ms } = await poll();
      const [row] = await db.query<{ n: number }>('SELECT count(*)::int AS n FROM deposits WHERE asset_id = $1', [
        network.assets[0]!.assetId,
      ]);
      if (row!.n !== DUST) throw new Error(`${row!.n} of ${DUST} deposits were credited`);
      return (1000 * DUST) / ms;
    },
    close: node.close,
  };
}

async function track(app: CustodyApp, network: Network): Promise<void> {
  while (await trackPayments(app, network));
}

function open(db: Db, blockchain: string, url: string): Promise<Network> {
  const tokens = [{ symbol: 'USDC', decimals: 6, contract: USDC }];
  const chain: Chain = {
    ...viemChain({ blockchain, chainId: CHAIN_ID, tokens, finality: { kind: 'tag' }, rpcUrls: [url] }),
    check: async () => [{ name: 'USDC', version: '2', chainId: CHAIN_ID, verifyingContract: USDC }],
    // Wallets are new to the watcher only once; their first read is not measured.
    readBalances: async (_token, wallets) => wallets.map(() => 0n),
  };
  return openNetwork(db, chain);
}

interface RawBlock {
  readonly number: Hex;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: Hex;
}

interface BlockNode {
  readonly url: string;
  readonly calls: number;
  /** A block with foreign transfers, or with dust for these. */
  mine(dustFor?: readonly Hex[]): void;
  close(): Promise<void>;
}

const hashOf = (words: string): Hex => `0x${createHash('sha256').update(words).digest('hex')}`;

async function serveBlocks(): Promise<BlockNode> {
  // For this chain only: an address whose checksum this process has computed before costs less.
  const salt = randomUUID();
  const addressOf = (words: string): Hex => `0x${hashOf(`${salt} ${words}`).slice(26)}`;
  const blocks: RawBlock[] = [];
  const byHash = new Map<string, { readonly block: RawBlock; readonly logs: readonly object[] }>();
  let calls = 0;

  function mine(dustFor?: readonly Hex[]): void {
    const number = blocks.length;
    const hash = hashOf(`block ${number}`);
    const parentHash = number === 0 ? hashOf('nothing') : blocks[number - 1]!.hash;
    const block = {
      number: numberToHex(number),
      hash,
      parentHash,
      timestamp: numberToHex(1_700_000_000 + 12 * number),
    };
    const transfer = (to: Hex, index: number) => ({
      address: USDC,
      topics: [TRANSFER, pad(addressOf(`from ${number} ${index}`), { size: 32 }), pad(to, { size: 32 })],
      data: numberToHex(index + 1, { size: 32 }),
      blockNumber: block.number,
      blockHash: hash,
      transactionHash: hashOf(`transaction ${number} ${index}`),
      logIndex: numberToHex(index),
      removed: false,
    });
    const logs = dustFor
      ? Array.from({ length: DUST }, (_, index) => transfer(dustFor[index % dustFor.length]!, index))
      : Array.from({ length: FOREIGN_TRANSFERS }, (_, index) => transfer(addressOf(`to ${number} ${index}`), index));
    blocks.push(block);
    byHash.set(hash, { block, logs });
  }

  function answer(method: string, [first]: readonly unknown[]): unknown {
    calls++;
    if (method === 'eth_chainId') return numberToHex(CHAIN_ID);
    if (method === 'eth_getBlockByHash') return byHash.get(first as string)?.block ?? null;
    if (method === 'eth_getBlockByNumber') {
      if (first === 'latest') return blocks.at(-1);
      if (first === 'finalized') return blocks.at(-1 - UNFINAL_BLOCKS);
      return blocks[Number(hexToBigInt(first as Hex))] ?? null;
    }
    if (method === 'eth_getLogs') {
      const filter = first as { blockHash?: Hex; fromBlock?: Hex; toBlock?: Hex };
      if (filter.blockHash) return byHash.get(filter.blockHash)!.logs;
      const some = blocks.slice(Number(filter.fromBlock), Number(filter.toBlock) + 1);
      return some.flatMap((block) => byHash.get(block.hash)!.logs);
    }
    throw new Error(`unexpected call of ${method}`);
  }

  for (let i = 0; i <= UNFINAL_BLOCKS; i++) mine();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const asked = JSON.parse(body) as { id: number; method: string; params: unknown[] };
    const one = ({ id, method, params }: typeof asked) => ({ jsonrpc: '2.0', id, result: answer(method, params) });
    response.end(JSON.stringify(Array.isArray(asked) ? asked.map(one) : one(asked)));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get calls() {
      return calls;
    },
    mine,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
