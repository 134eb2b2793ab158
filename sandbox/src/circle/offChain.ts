/** Solana and Aptos: no such chain runs here, so the double keeps their coins and invents the block numbers. */
import { createHash, randomBytes } from 'node:crypto';
import { parseUnits } from 'viem';
import { type Double, nextNumber, saveTransaction } from './double.ts';
import { encodeBase58, isSameAddress, nameId } from './keys.ts';
import { newTransaction, stamp, type Transaction, type Wallet } from './records.ts';
import { findToken, type Token } from './tokens.ts';

/** Advances a transaction that was cleared and queued by one step. */
export function advanceOffChain(double: Double, transaction: Transaction): void {
  const wallet = double.store.wallets.find(transaction.walletId)!;
  const token = findToken(double, transaction.tokenId)!;
  const amount = parseUnits(transaction.amounts[0]!, token.decimals);
  if (transaction.state === 'QUEUED') {
    if (coinsOf(double, wallet, token) < amount) {
      const errorReason = token.isNative ? 'INSUFFICIENT_NATIVE_TOKEN' : 'INSUFFICIENT_TOKEN';
      saveTransaction(double, transaction, { state: 'FAILED', errorReason });
    } else saveTransaction(double, transaction, { state: 'SENT', txHash: newHash(wallet.blockchain) });
  } else if (transaction.state === 'SENT' && transaction.work!.fate?.state === 'STUCK') {
    saveTransaction(double, transaction, { state: 'STUCK' });
  } else if (transaction.state === 'SENT') {
    addCoins(double, wallet, token, -amount);
    const block = { blockHeight: transaction.number, blockHash: newHash(wallet.blockchain), firstConfirmDate: stamp() };
    saveTransaction(double, transaction, { state: 'CONFIRMED', ...block, networkFee: '0.000005' });
  } else if (transaction.state === 'CONFIRMED') {
    saveTransaction(double, transaction, { state: 'COMPLETE' });
    const receiver = double.store.wallets
      .list()
      .find(
        (one) => one.blockchain === wallet.blockchain && isSameAddress(one.address, transaction.destinationAddress),
      );
    if (receiver) receiveOffChain(double, receiver, token, transaction.amounts[0]!, wallet.address, transaction.txHash);
  }
}

/** Incoming coins, as their own transaction. */
export function receiveOffChain(
  double: Double,
  wallet: Wallet,
  token: Token,
  amount: string,
  sourceAddress: string,
  txHash = newHash(wallet.blockchain),
): void {
  const number = nextNumber(double);
  addCoins(double, wallet, token, parseUnits(amount, token.decimals));
  const incoming: Transaction = {
    ...newTransaction(nameId('inbound', wallet.id, txHash, number), number),
    transactionType: 'INBOUND',
    state: 'CONFIRMED',
    blockchain: wallet.blockchain,
    walletId: wallet.id,
    tokenId: token.id,
    amounts: [amount],
    sourceAddress,
    destinationAddress: wallet.address,
    txHash,
    blockHeight: number,
    firstConfirmDate: stamp(),
    createDate: stamp(new Date(Date.now() - (double.switches.arrivals?.late_ms ?? 0))),
  };
  saveTransaction(double, saveTransaction(double, incoming, {}), { state: 'COMPLETE' });
}

const coinsOf = ({ store }: Double, wallet: Wallet, token: Token): bigint =>
  BigInt(store.coins.find(wallet.id)?.[token.isNative ? 'native' : 'usdc'] ?? 0);

function addCoins(double: Double, wallet: Wallet, token: Token, amount: bigint): void {
  const before = double.store.coins.find(wallet.id) ?? { id: wallet.id, usdc: '0', native: '0' };
  const after = String(coinsOf(double, wallet, token) + amount);
  double.store.coins.put({ ...before, [token.isNative ? 'native' : 'usdc']: after });
}

/** In the format of the chain. */
function newHash(blockchain: string): string {
  const bytes = randomBytes(64);
  return blockchain.startsWith('SOL') ? encodeBase58(bytes) : `0x${createHash('sha256').update(bytes).digest('hex')}`;
}
