import { formatGwei, formatUnits, type Hex, hexToBigInt, parseGwei } from 'viem';
import { readBaseFee } from '../baseFee.ts';
import { NodeRefusal } from '../chainClient.ts';
import type { Double } from '../double.ts';
import { isPending, type Wallet } from '../records.ts';
import type { Call } from './call.ts';
import { LEVELS } from './readFee.ts';
import { invalid, Refusal } from './refusal.ts';
import { renderTransaction } from './renderRecords.ts';
import { readExecution, readTransfer } from './transferCalls.ts';
import { getWallet } from './walletCalls.ts';

/** The fees of a chain that does not run here: always the same. */
const OFF_CHAIN_FEE = { networkFee: '0.000005', networkFeeRaw: '0.000005' };

export async function estimateTransfer(double: Double, call: Call) {
  const { wallet, call: chainCall } = readTransfer(double, call, 'sourceAddress');
  return estimate(double, wallet, chainCall);
}

export async function estimateExecution(double: Double, call: Call) {
  const { wallet, chainCall } = readExecution(double, call, 'sourceAddress');
  return estimate(double, wallet, chainCall);
}

async function estimate({ chains }: Double, wallet: Wallet, call: { to: string; data: string; value: string } | null) {
  const chain = chains.get(wallet.blockchain);
  if (!chain || !call) return renderLevels(undefined, 0n);
  const value = `0x${BigInt(call.value).toString(16)}`;
  let gas: bigint;
  try {
    gas = hexToBigInt(
      await chain.call<Hex>('eth_estimateGas', [{ from: wallet.address, to: call.to, data: call.data, value }]),
    );
  } catch (error) {
    if (!(error instanceof NodeRefusal)) throw error;
    throw new Refusal(400, 155208, error.message);
  }
  return renderLevels(await readBaseFee(chain), gas);
}

export async function readFeeParameters({ chains }: Double, call: Call) {
  const chain = chains.get(call.query.get('blockchain') ?? '');
  if (!chain) throw new Refusal(400, 156027, 'the double knows no fees of this blockchain');
  return renderLevels(await readBaseFee(chain), 0n);
}

/** Enough for a base fee of twice the current one, as in Circle's answers. */
const maxFeeFor = (baseFee: bigint, priorityFee: bigint): bigint => 2n * baseFee + priorityFee;

function renderLevels(baseFee: bigint | undefined, gas: bigint) {
  const level = (gwei: string) => {
    if (baseFee === undefined) return OFF_CHAIN_FEE;
    const maxFee = maxFeeFor(baseFee, parseGwei(gwei));
    return {
      ...(gas > 0n && { gasLimit: String(gas) }),
      priorityFee: gwei,
      baseFee: formatGwei(baseFee),
      maxFee: formatGwei(maxFee),
      ...(gas > 0n && { networkFee: formatUnits(gas * maxFee, 18), networkFeeRaw: formatUnits(gas * maxFee, 18) }),
    };
  };
  return { high: level(LEVELS.HIGH), medium: level(LEVELS.MEDIUM), low: level(LEVELS.LOW) };
}

/** The transaction that later ones of its sender wait for. */
export async function readLowestNonce(double: Double, { query }: Call) {
  const [walletId, address, blockchain] = ['walletId', 'address', 'blockchain'].map((name) => query.get(name));
  if (!walletId && !(address && blockchain)) throw invalid('walletId', 'or address and blockchain are required');
  const wallet = walletId ? getWallet(double, walletId) : undefined;
  const source = (wallet?.address ?? address ?? '').toLowerCase();
  const chainName = wallet?.blockchain ?? blockchain ?? '';
  const [lowest] = double.store.transactions
    .list()
    .filter((one) => one.blockchain === chainName && one.sourceAddress === source && isPending(one.state))
    .filter((one) => one.work && one.work.nonce !== null)
    .sort((a, b) => a.work!.nonce! - b.work!.nonce!);
  if (!lowest) throw new Refusal(404, 156003, 'Cannot find target transaction in the system.');
  const baseFee = await readBaseFee(double.chains.get(chainName)!);
  const { high } = renderLevels(baseFee, BigInt(lowest.work!.fee.gasLimit ?? 100_000));
  return {
    transaction: renderTransaction(lowest),
    feeInfo: { newHighEstimatedFee: high, feeDifferenceAmount: high.networkFee ?? '0' },
  };
}
