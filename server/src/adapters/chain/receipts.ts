import { getAddress, hexToBigInt, hexToNumber } from 'viem/utils';
import type { ChainTx, Hex, Receipt } from '../../core/ports.ts';
import { answersOf, NOTHING, type Nodes } from './askNodes.ts';
import { findTokenLog, type RawLog } from './tokenLogs.ts';

const NOBODY: Hex = `0x${'0'.repeat(40)}`;

interface RawReceipt {
  readonly transactionHash: Hex;
  readonly from?: Hex;
  readonly status: Hex;
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly gasUsed: Hex;
  readonly effectiveGasPrice: Hex;
  /** OP-stack rollups charge the fee of the underlying layer separately. Arbitrum includes it in the gas. */
  readonly l1Fee?: Hex;
  readonly logs: readonly RawLog[];
}

interface RawTx {
  readonly hash: Hex;
  readonly from: Hex;
  readonly nonce: Hex;
  readonly blockHash: Hex | null;
  readonly blockNumber: Hex | null;
}

/** Returns the receipt that a majority has; undefined without a majority, so that relaying continues. */
export async function findReceipt(nodes: Nodes, hash: Hex, contracts: readonly Hex[]): Promise<Receipt | undefined> {
  const question = {
    about: 'receipts',
    ask: async (node: Nodes['all'][number]) => {
      const receipt = await node.call<RawReceipt | null>('eth_getTransactionReceipt', [hash]);
      return receipt ? toReceipt(receipt, contracts) : undefined;
    },
    // The fee is left out of the comparison, because not every node of a rollup reports the fee of the underlying
    // layer.
    print: (receipt: Receipt | undefined) => (receipt ? toText(receipt) : NOTHING),
  };
  const { said, late } = await nodes.collect(question, 1);
  const answers = answersOf(said);
  const texts = answers.map(question.print);
  const right = texts.find((one) => texts.filter((other) => other === one).length >= nodes.quorum);
  if (right === undefined) return undefined;
  nodes.judge(question, said, right);
  void late.then((more) => nodes.judge(question, more, right));
  const same = answers.filter((one, i): one is Receipt => texts[i] === right && one !== undefined);
  return same.sort((a, b) => Number(a.feeWei - b.feeWei))[0];
}

const toText = ({ hash, from, isSuccess, blockHash, blockNumber, logs }: Receipt): string =>
  JSON.stringify([hash, from, isSuccess, blockHash, blockNumber, logs], (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );

function toReceipt(receipt: RawReceipt, contracts: readonly Hex[]): Receipt {
  const gasUsed = hexToBigInt(receipt.gasUsed);
  return {
    hash: receipt.transactionHash,
    from: getAddress(receipt.from ?? NOBODY),
    isSuccess: receipt.status === '0x1',
    blockHash: receipt.blockHash,
    blockNumber: hexToBigInt(receipt.blockNumber),
    gasUsed,
    feeWei: gasUsed * hexToBigInt(receipt.effectiveGasPrice) + hexToBigInt(receipt.l1Fee ?? '0x0'),
    logs: receipt.logs.flatMap((log) => findTokenLog(log, contracts) ?? []),
  };
}

/**
 * Returns undefined when a majority does not know the chain transaction. Without that majority, a transaction in a
 * single node's pool may still be mined.
 */
export async function findChainTx(nodes: Nodes, hash: Hex): Promise<ChainTx | undefined> {
  const question = {
    about: 'chain transactions',
    ask: async (node: Nodes['all'][number]) => {
      const tx = await node.call<RawTx | null>('eth_getTransactionByHash', [hash]);
      return tx ? toChainTx(tx) : undefined;
    },
  };
  const { said } = await nodes.collect(question, nodes.quorum);
  const answers = answersOf(said);
  const known = answers.filter((one) => one !== undefined);
  if (answers.length - known.length >= nodes.quorum) return undefined;
  const mined = known.find(
    (one) => one.blockHash && known.filter((other) => other.blockHash === one.blockHash).length >= nodes.quorum,
  );
  return mined ?? (known[0] && { ...known[0], blockHash: undefined, blockNumber: undefined });
}

const toChainTx = (tx: RawTx): ChainTx => ({
  hash: tx.hash,
  from: getAddress(tx.from),
  nonce: hexToNumber(tx.nonce),
  blockHash: tx.blockHash ?? undefined,
  blockNumber: tx.blockNumber ? hexToBigInt(tx.blockNumber) : undefined,
});
