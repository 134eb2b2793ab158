import type { Subscription, Transaction, Wallet, WalletSet } from '../records.ts';

/** Circle's SDK expects no name of a wallet set in an answer, so there is none. */
export const renderWalletSet = ({ id, createDate, updateDate }: WalletSet) => ({
  id,
  custodyType: 'DEVELOPER',
  createDate,
  updateDate,
});

export const renderWallet = (wallet: Wallet) => ({
  id: wallet.id,
  state: 'LIVE',
  walletSetId: wallet.walletSetId,
  custodyType: 'DEVELOPER',
  refId: wallet.refId,
  name: wallet.name,
  address: wallet.address,
  blockchain: wallet.blockchain,
  accountType: wallet.accountType,
  ...(wallet.accountType === 'SCA' && { scaCore: 'circle_6900_singleowner_v2' }),
  updateDate: wallet.updateDate,
  createDate: wallet.createDate,
});

/** Members without a value are empty or null, but not left out. */
export const renderTransaction = (transaction: Transaction) => {
  const { number: _, work: __, userOpHash: ___, blockHeight, ...shown } = transaction;
  return { ...shown, custodyType: 'DEVELOPER', blockHeight: blockHeight || null, networkFeeInUSD: '', nfts: null };
};

export const renderNotification = (transaction: Transaction) => ({
  id: transaction.id,
  blockchain: transaction.blockchain,
  walletId: transaction.walletId,
  tokenId: transaction.tokenId,
  sourceAddress: transaction.sourceAddress,
  destinationAddress: transaction.destinationAddress,
  amounts: transaction.amounts,
  nftTokenIds: [],
  refId: transaction.refId,
  state: transaction.state,
  errorReason: transaction.errorReason,
  transactionType: transaction.transactionType,
  txHash: transaction.txHash,
  userOpHash: transaction.userOpHash,
  createDate: transaction.createDate,
  updateDate: transaction.updateDate,
  errorDetails: transaction.errorDetails,
  networkFee: transaction.networkFee,
  networkFeeInUSD: '',
});

export const renderSubscription = (subscription: Subscription) => ({ ...subscription, restricted: false });
