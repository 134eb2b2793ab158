import { formatEther, type Hex, hexToBigInt, hexToNumber } from 'viem';
import { keepInPool, sendTransaction } from './broadcast.ts';
import type { ChainClient } from './chainClient.ts';
import { type Double, saveTransaction } from './double.ts';
import { isSameAddress } from './keys.ts';
import { advanceOffChain } from './offChain.ts';
import { isFinal, stamp, type Transaction, type Version } from './records.ts';

/** The head and the final block of a chain. */
export interface Heights {
  readonly head: number;
  readonly finalized: number;
}

/** After this many blocks without inclusion, a transaction is stuck. */
const STUCK_AFTER_BLOCKS = 30;

interface TransactionRunner {
  /** Advances each open transaction by one step. */
  step(heights: ReadonlyMap<string, Heights>): Promise<void>;
}

/** States advance with the chain: sent means in the pool, confirmed in a block, complete in a final block. */
export function createTransactionRunner(double: Double): TransactionRunner {
  /** The state at the last check, by transaction. While nothing has changed, the chain is not asked again. */
  const looked = new Map<string, string>();

  async function advance(transaction: Transaction, heights: Heights | undefined): Promise<void> {
    const { state } = transaction;
    const work = transaction.work!;
    if (double.switches.hold === state) return;
    if (state === 'INITIATED') {
      const isDenied = work.fate?.state === 'DENIED' || isDenylisted(double, transaction);
      saveTransaction(double, transaction, { state: isDenied ? 'DENIED' : 'CLEARED' });
    } else if (state === 'CLEARED') {
      saveTransaction(double, transaction, { state: 'QUEUED' });
    } else if (state === 'QUEUED' && work.fate?.state === 'FAILED') {
      saveTransaction(double, transaction, { state: 'FAILED', errorReason: work.fate.reason });
    } else if (!work.call) {
      advanceOffChain(double, transaction);
    } else if (heights) {
      if (state === 'QUEUED') return sendTransaction(double, transaction);
      const known = `${heights.head} ${heights.finalized} ${state} ${work.versions.length}`;
      if (looked.get(transaction.id) === known) return;
      await follow(double, transaction, heights);
      looked.set(transaction.id, known);
    }
  }

  return {
    async step(heights) {
      const open = double.store.transactions.list().filter((one) => one.work && !isFinal(one.state));
      for (const { id } of open) {
        // Read again: a call may have changed it while an earlier one was being processed.
        const transaction = double.store.transactions.find(id);
        if (!transaction || isFinal(transaction.state)) continue;
        try {
          await advance(transaction, heights.get(transaction.blockchain));
        } catch (error) {
          double.log(`Circle double: transaction ${id} waits: ${(error as Error).message}`);
        }
      }
    },
  };
}

/** USDC that is sent to its own contract would be lost, so Circle refuses it. */
const isDenylisted = ({ chains }: Double, { blockchain, destinationAddress }: Transaction): boolean =>
  isSameAddress(chains.get(blockchain)?.usdc ?? '', destinationAddress);

interface Receipt {
  readonly status: Hex;
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  readonly gasUsed: Hex;
  readonly effectiveGasPrice: Hex;
}

async function follow(double: Double, transaction: Transaction, { head, finalized }: Heights): Promise<void> {
  const chain = double.chains.get(transaction.blockchain)!;
  const { versions, sentAtHead, fate } = transaction.work!;
  const mined = await findMined(chain, versions);
  // A call may have added a version, or ended the transaction, while we were asking.
  const now = double.store.transactions.find(transaction.id);
  if (now !== transaction) return;
  if (!mined) {
    await keepInPool(double, transaction, versions.at(-1)!);
    const isStuck = (fate?.state === 'STUCK' && versions.length === 1) || head - sentAtHead >= STUCK_AFTER_BLOCKS;
    if (transaction.state === 'SENT' && isStuck) saveTransaction(double, transaction, { state: 'STUCK' });
    return;
  }
  const { version, receipt } = mined;
  const isFinalBlock = hexToNumber(receipt.blockNumber) <= finalized;
  if (version.isCancellation) {
    if (isFinalBlock) saveTransaction(double, transaction, { state: 'CANCELLED' });
    return;
  }
  const place = {
    txHash: version.hash,
    blockHash: receipt.blockHash,
    blockHeight: hexToNumber(receipt.blockNumber),
    firstConfirmDate: transaction.firstConfirmDate || stamp(),
    networkFee: formatEther(hexToBigInt(receipt.gasUsed) * hexToBigInt(receipt.effectiveGasPrice)),
  };
  if (receipt.status !== '0x1') {
    const failed = {
      state: 'FAILED',
      errorReason: 'TRANSACTION_REVERTED',
      errorDetails: 'execution reverted',
    } as const;
    if (isFinalBlock) saveTransaction(double, transaction, { ...place, ...failed });
  } else if (transaction.state !== 'CONFIRMED') saveTransaction(double, transaction, { ...place, state: 'CONFIRMED' });
  else if (isFinalBlock) saveTransaction(double, transaction, { ...place, state: 'COMPLETE' });
}

async function findMined(chain: ChainClient, versions: readonly Version[]) {
  for (const version of versions.toReversed()) {
    const receipt = await chain.call<Receipt | null>('eth_getTransactionReceipt', [version.hash]);
    if (receipt) return { version, receipt };
  }
  return undefined;
}
