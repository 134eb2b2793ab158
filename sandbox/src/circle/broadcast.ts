import { formatEther, getAddress, type Hex, hexToBigInt, hexToNumber, keccak256, parseTransaction } from 'viem';
import { readBaseFee } from './baseFee.ts';
import { type ChainClient, NodeRefusal } from './chainClient.ts';
import { type Double, saveTransaction } from './double.ts';
import { accountOf } from './keys.ts';
import { isFinal, type Transaction, type Version, type Wallet } from './records.ts';

/** The faucet refills below this many transactions' worth of gas, up to three times as many. */
const GAS_FOR = 40n;
/** Lower than any base fee, so the transaction stays in the pool until it is replaced. */
const TOO_LITTLE_WEI = 1n;
const CANCELLATION_GAS = 21_000n;

type ChainTx = Parameters<ReturnType<typeof accountOf>['signTransaction']>[0];

/**
 * Signs a queued transaction and puts it into the chain's pool. Its bytes are stored before the broadcast. It stays
 * queued while a smart contract account waits for gas, which is paid for it; any other wallet needs its own gas.
 */
export async function sendTransaction(double: Double, transaction: Transaction): Promise<void> {
  const chain = double.chains.get(transaction.blockchain)!;
  const wallet = double.store.wallets.find(transaction.walletId)!;
  const work = transaction.work!;
  const planned = work.versions.at(-1);
  // Stored by a process that died before or just after the broadcast.
  if (planned) return finishSend(double, chain, transaction, planned);
  const chainTx = await prepare(chain, wallet, transaction);
  if ('errorReason' in chainTx) return void saveTransaction(double, transaction, { state: 'FAILED', ...chainTx });
  const gasCost = chainTx.gas * chainTx.maxFeePerGas;
  if (isGivenGas(double, wallet)) {
    if (!(await hasGas(chain, wallet, gasCost + chainTx.value, gasCost))) return;
  } else if ((await readGas(chain, wallet)) < gasCost + chainTx.value) {
    return void saveTransaction(double, transaction, { state: 'FAILED', errorReason: 'INSUFFICIENT_NATIVE_TOKEN' });
  }
  const nonce = await findNonce(double, chain, wallet);
  const isStuck = work.fate?.state === 'STUCK';
  const fees = isStuck ? { maxFeePerGas: TOO_LITTLE_WEI, maxPriorityFeePerGas: TOO_LITTLE_WEI } : {};
  const version = await sign(double, chain, wallet, { ...chainTx, ...fees, nonce }, false);
  // It may have been cancelled in the meantime.
  if (double.store.transactions.find(transaction.id)?.state !== 'QUEUED') return;
  const kept = saveTransaction(double, transaction, { work: { ...work, nonce, versions: [version] } });
  await finishSend(double, chain, kept, version);
}

async function finishSend(
  double: Double,
  chain: ChainClient,
  transaction: Transaction,
  version: Version,
): Promise<void> {
  double.store.flush();
  await broadcast(chain, version);
  const isSmart = double.store.wallets.find(transaction.walletId)!.accountType === 'SCA';
  const sentAtHead = hexToNumber(await chain.call<Hex>('eth_blockNumber', []));
  // The hash of a smart contract account's transaction is known when a bundler has got it into a block.
  const shown = isSmart ? { userOpHash: keccak256(version.hash as Hex) } : { txHash: version.hash };
  saveTransaction(double, transaction, { state: 'SENT', ...shown, work: { ...transaction.work!, sentAtHead } });
}

const isGivenGas = ({ switches }: Double, { accountType }: Wallet): boolean =>
  accountType === 'SCA' || switches.gas === 'given';

/** A reorg may have removed the transaction, and the gas that its wallet was given: then it waits for new gas. */
export async function keepInPool(
  double: Double,
  { blockchain, walletId }: Transaction,
  version: Version,
): Promise<void> {
  const chain = double.chains.get(blockchain)!;
  if (await chain.call<object | null>('eth_getTransactionByHash', [version.hash])) return;
  const wallet = double.store.wallets.find(walletId)!;
  const { gas, maxFeePerGas, value = 0n } = parseTransaction(version.raw as Hex);
  const gasCost = gas! * maxFeePerGas!;
  if (isGivenGas(double, wallet) && !(await hasGas(chain, wallet, gasCost + value, gasCost))) return;
  await broadcast(chain, version);
}

/** "Already in the pool or on the chain" counts as success. */
async function broadcast(chain: ChainClient, { raw }: Version): Promise<void> {
  try {
    await chain.call('eth_sendRawTransaction', [raw]);
  } catch (error) {
    if (!(error instanceof NodeRefusal) || !/already known|nonce too low/.test(error.message)) throw error;
  }
}

/** Another version under the same nonce with higher fees: the same transaction again, or one that moves nothing. */
export async function replaceTransaction(
  double: Double,
  transaction: Transaction,
  isCancellation: boolean,
): Promise<void> {
  const chain = double.chains.get(transaction.blockchain)!;
  const wallet = double.store.wallets.find(transaction.walletId)!;
  const old = parseTransaction(transaction.work!.versions.at(-1)!.raw as Hex);
  const baseFee = await readBaseFee(chain);
  const raise = (wei: bigint | undefined, least: bigint): bigint => {
    const raised = ((wei ?? 0n) * 5n) / 4n + 1n;
    return raised > least ? raised : least;
  };
  const maxPriorityFeePerGas = raise(old.maxPriorityFeePerGas, BigInt(transaction.work!.fee.priorityFee));
  const maxFeePerGas = raise(old.maxFeePerGas, 3n * baseFee + maxPriorityFeePerGas);
  const what = isCancellation
    ? { to: getAddress(wallet.address), data: '0x' as Hex, value: 0n, gas: CANCELLATION_GAS }
    : { to: old.to!, data: old.data ?? '0x', value: old.value ?? 0n, gas: old.gas! };
  const version = await sign(
    double,
    chain,
    wallet,
    { type: 'eip1559', ...what, maxFeePerGas, maxPriorityFeePerGas, nonce: transaction.work!.nonce! },
    isCancellation,
  );
  const now = double.store.transactions.find(transaction.id)!;
  const sentAtHead = hexToNumber(await chain.call<Hex>('eth_blockNumber', []));
  saveTransaction(double, now, {
    work: { ...now.work!, versions: [...now.work!.versions, version], sentAtHead },
    ...(!isCancellation && now.state === 'STUCK' && { state: 'SENT' as const }),
    ...(!isCancellation && { txHash: version.hash }),
  });
  double.store.flush();
  // If the chain refuses it now, it is retried for as long as none of the versions is in a block.
  await broadcast(chain, version).catch((error: Error) => double.log(`Circle double: ${error.message}`));
}

interface Prepared {
  readonly type: 'eip1559';
  readonly to: Hex;
  readonly data: Hex;
  readonly value: bigint;
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

interface Failed {
  readonly errorReason: string;
  readonly errorDetails: string;
}

/** The transaction to sign, or the reason why it would fail, which Circle determines before it sends anything. */
async function prepare(chain: ChainClient, wallet: Wallet, { work }: Transaction): Promise<Prepared | Failed> {
  const { to, data, value } = work!.call!;
  const amount = BigInt(value);
  const from = wallet.address;
  let gas = BigInt(work!.fee.gasLimit ?? 0);
  try {
    const call = { from, to, data, value: `0x${amount.toString(16)}` };
    const estimated = hexToBigInt(await chain.call<Hex>('eth_estimateGas', [call]));
    if (gas === 0n) gas = (estimated * 6n) / 5n;
  } catch (error) {
    if (!(error instanceof NodeRefusal)) throw error;
    const errorReason = /exceeds balance/.test(error.message) ? 'INSUFFICIENT_TOKEN' : 'ESTIMATION_ERROR';
    const isPoor = /insufficient funds|doesn't have enough funds/.test(error.message);
    return { errorReason: isPoor ? 'INSUFFICIENT_NATIVE_TOKEN' : errorReason, errorDetails: error.message };
  }
  const maxPriorityFeePerGas = BigInt(work!.fee.priorityFee);
  const maxFeePerGas = BigInt(work!.fee.maxFee ?? 2n * (await readBaseFee(chain)) + maxPriorityFeePerGas);
  return {
    type: 'eip1559',
    to: getAddress(to),
    data: data as Hex,
    value: amount,
    gas,
    maxFeePerGas,
    maxPriorityFeePerGas,
  };
}

/** When each address last got gas, as the height of its chain. */
const filled = new WeakMap<ChainClient, Map<string, number>>();

const readGas = async (chain: ChainClient, { address }: Wallet): Promise<bigint> =>
  hexToBigInt(await chain.call<Hex>('eth_getBalance', [address, 'latest']));

/** True if the wallet can pay; otherwise the faucet sends more, which arrives with one of the next blocks. */
async function hasGas(chain: ChainClient, wallet: Wallet, cost: bigint, gasCost: bigint): Promise<boolean> {
  const { address } = wallet;
  const balance = await readGas(chain, wallet);
  if (balance >= cost + GAS_FOR * gasCost) return true;
  const head = hexToNumber(await chain.call<Hex>('eth_blockNumber', []));
  const known = filled.get(chain) ?? new Map<string, number>();
  filled.set(chain, known);
  // Gas that was sent before the last block should have arrived; if not, it is sent again.
  if ((known.get(address) ?? Number.NEGATIVE_INFINITY) < head - 1) {
    known.set(address, head);
    await chain.give(address, { eth: formatEther(3n * GAS_FOR * gasCost + gasCost) });
  }
  return balance >= cost;
}

/** The next nonce after everything that is in the pool or should be. */
async function findNonce({ store }: Double, chain: ChainClient, { address }: Wallet): Promise<number> {
  const used = store.transactions
    .list()
    .filter((one) => one.blockchain === chain.blockchain && one.sourceAddress === address && !isFinal(one.state))
    .map(({ work }) => work?.nonce ?? -1);
  const pooled = hexToNumber(await chain.call<Hex>('eth_getTransactionCount', [address, 'pending']));
  return Math.max(pooled, 1 + Math.max(-1, ...used));
}

async function sign(
  { secrets }: Double,
  chain: ChainClient,
  wallet: Wallet,
  chainTx: Omit<ChainTx, 'chainId'>,
  isCancellation: boolean,
): Promise<Version> {
  const raw = await accountOf(secrets.seed, wallet).signTransaction({ ...chainTx, chainId: chain.chainId } as ChainTx);
  return { raw, hash: keccak256(raw), isCancellation };
}
