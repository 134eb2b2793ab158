import { formatUnits, type Hex, hexToBigInt, hexToNumber, numberToHex } from 'viem';
import { TRANSFER } from '../../../server/src/adapters/chain/usdcAbi.ts';
import { USDC } from './blockchains.ts';
import type { Heights } from './carryTransactions.ts';
import type { ChainClient } from './chainClient.ts';
import { type Double, nextNumber, saveTransaction, walletsAt } from './double.ts';
import { nameId } from './keys.ts';
import { newTransaction, stamp } from './records.ts';

interface Log {
  readonly transactionHash: Hex;
  readonly logIndex: Hex;
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** The cursor is stored only occasionally: reading a block twice changes nothing. */
const KEEP_EVERY_BLOCKS = 200;

interface Inbound {
  step(heights: ReadonlyMap<string, Heights>): Promise<void>;
}

/** Shows USDC that arrives in wallets: confirmed when it is in a block, complete when that block is final. */
export function createInbound(double: Double): Inbound {
  const { store, chains } = double;
  /** Final blocks up to here were read. */
  const read = new Map<string, number>();
  const looked = new Map<string, Heights>();

  async function poll(chain: ChainClient, heights: Heights): Promise<void> {
    const { blockchain, usdc } = chain;
    const before = looked.get(blockchain);
    if (before?.head === heights.head && before.finalized === heights.finalized) return;
    const kept = store.cursors.find(blockchain);
    if (!kept) store.cursors.put({ id: blockchain, block: heights.finalized });
    const from = 1 + (read.get(blockchain) ?? kept?.block ?? heights.finalized);
    const logs =
      heights.head < from
        ? []
        : await chain.call<Log[]>('eth_getLogs', [
            { address: usdc, topics: [TRANSFER], fromBlock: numberToHex(from), toBlock: numberToHex(heights.head) },
          ]);
    const seen = new Set(logs.flatMap((log) => note(blockchain, log, heights)));
    // Delete what a reorg has removed; if it comes back, it has the same id.
    for (const one of store.transactions.list()) {
      const isOpen = one.transactionType === 'INBOUND' && one.state === 'CONFIRMED' && one.blockchain === blockchain;
      if (isOpen && one.blockHeight >= from && !seen.has(one.id)) store.transactions.remove(one.id);
    }
    read.set(blockchain, Math.max(from - 1, heights.finalized));
    if (heights.finalized - (kept?.block ?? 0) >= KEEP_EVERY_BLOCKS) {
      store.cursors.put({ id: blockchain, block: heights.finalized });
    }
    looked.set(blockchain, heights);
  }

  /** Returns the ids of the transactions for a log. */
  function note(blockchain: string, log: Log, { finalized }: Heights): string[] {
    const [, from, to] = log.topics.map((topic) => `0x${topic.slice(26)}`);
    const place = { blockHash: log.blockHash, blockHeight: hexToNumber(log.blockNumber) };
    const isComplete = place.blockHeight <= finalized;
    return walletsAt(double, blockchain, to!).map((wallet) => {
      const id = nameId('inbound', blockchain, log.transactionHash, log.logIndex, wallet.id);
      const known = store.transactions.find(id);
      if (known?.state === 'COMPLETE' || (known?.blockHash === log.blockHash && !isComplete)) return id;
      const incoming = known ?? {
        ...newTransaction(id, nextNumber(double)),
        transactionType: 'INBOUND' as const,
        state: 'CONFIRMED' as const,
        blockchain,
        walletId: wallet.id,
        tokenId: USDC[blockchain]?.id ?? '',
        amounts: [formatUnits(hexToBigInt(log.data), 6)],
        sourceAddress: from!,
        destinationAddress: wallet.address,
        txHash: log.transactionHash,
        firstConfirmDate: stamp(),
      };
      const confirmed = saveTransaction(double, incoming, place);
      if (isComplete) saveTransaction(double, confirmed, { state: 'COMPLETE' });
      return id;
    });
  }

  return {
    async step(heights) {
      for (const chain of chains.values()) {
        const now = heights.get(chain.blockchain);
        if (now) await poll(chain, now);
      }
    },
  };
}
