import { randomBytes } from 'node:crypto';
import { type Abi, encodeFunctionData, getAddress, type Hex, isHex, parseAbiItem, parseUnits } from 'viem';
import { usdcAbi } from '../../chain/genesis.ts';
import { findBlockchain, findQueueLimit } from '../blockchains.ts';
import { type Double, nextNumber, saveTransaction } from '../double.ts';
import { isSameAddress, isValidAddress, nameId } from '../keys.ts';
import { type Fee, isPending, newTransaction, type Transaction, type Wallet } from '../records.ts';
import { takeFate } from '../switches.ts';
import { findToken, type Token, tokensOf } from '../tokens.ts';
import { readBalance } from './balanceCalls.ts';
import { type Call, findText, getText } from './call.ts';
import { readFee } from './readFee.ts';
import { getId, invalid, Refusal } from './refusal.ts';
import { findWalletOf, refuseFrozen } from './walletCalls.ts';

/** The content of a transfer, in its chain's terms. */
interface Wanted {
  readonly wallet: Wallet;
  readonly token: Token;
  readonly amount: bigint;
  readonly amountText: string;
  readonly destination: string;
  readonly call: ChainCall | null;
}

interface ChainCall {
  readonly to: string;
  readonly data: string;
  readonly value: string;
}

export async function createTransfer(double: Double, call: Call) {
  const wanted = readTransfer(double, call);
  const { wallet, token, amount } = wanted;
  const fee = readFee(call, wallet);
  const refId = readRefId(call);
  if (double.switches.underfunded === 'refuse') {
    const spendable = (await readBalance(double, wallet, token)) - promised(double, wallet, token);
    if (spendable < amount) throw new Refusal(400, 155258, 'the wallet has less than the amount');
  }
  refuseFullQueue(double, wallet);
  return accept(double, {
    operation: 'TRANSFER',
    wallet,
    tokenId: token.id,
    amounts: [wanted.amountText],
    destinationAddress: wanted.destination,
    contractAddress: token.tokenAddress ?? '',
    refId,
    fee,
    call: wanted.call,
  });
}

/** Parses a transfer, or a request for its estimated cost. */
export function readTransfer(double: Double, call: Call, addressName?: string): Wanted {
  const wallet = findWalletOf(double, call, addressName);
  refuseFrozen(double, wallet);
  refuseIdle(double, wallet);
  const token = readToken(double, call, wallet);
  const destination = getText(call, 'destinationAddress');
  if (!isValidAddress(wallet.blockchain, destination)) {
    throw new Refusal(400, 155219, `${destination} is not an address on ${wallet.blockchain}`);
  }
  const amountText = readAmount(call);
  if ((amountText.split('.')[1] ?? '').length > token.decimals) {
    throw new Refusal(400, 156032, `${token.symbol} has ${token.decimals} decimals`);
  }
  const amount = parseUnits(amountText, token.decimals);
  if (amount <= 0n) throw new Refusal(400, 155221, 'the amount must be more than zero');
  return {
    wallet,
    token,
    amount,
    amountText,
    destination,
    call: encodeTransfer(double, wallet, token, destination, amount),
  };
}

function encodeTransfer(
  { chains }: Double,
  wallet: Wallet,
  token: Token,
  to: string,
  amount: bigint,
): ChainCall | null {
  const chain = chains.get(wallet.blockchain);
  if (!chain) return null;
  if (token.isNative) return { to, data: '0x', value: String(amount) };
  const data = encodeFunctionData({ abi: usdcAbi, functionName: 'transfer', args: [getAddress(to), amount] });
  return { to: chain.usdc, data, value: '0' };
}

/** Wallets on a chain that does not run here have nothing to send, unless the double keeps their coins. */
function refuseIdle({ chains }: Double, { blockchain }: Wallet): void {
  const { family, isGeneric } = findBlockchain(blockchain)!;
  if (isGeneric || family === 'near' || (family === 'evm' && !chains.has(blockchain))) {
    throw new Refusal(400, 156027, `the double sends nothing on ${blockchain}`);
  }
}

function readToken(double: Double, call: Call, wallet: Wallet): Token {
  const [id, address, blockchain] = [
    findText(call, 'tokenId'),
    findText(call, 'tokenAddress'),
    findText(call, 'blockchain'),
  ];
  if (id !== undefined && address !== undefined) throw invalid('tokenId', 'and tokenAddress cannot be used together');
  if (blockchain !== undefined && blockchain !== wallet.blockchain) {
    throw new Refusal(400, 155225, `the wallet is on ${wallet.blockchain} and not on ${blockchain}`);
  }
  if (id !== undefined) {
    const token = findToken(double, getId(id));
    if (!token) throw new Refusal(404, 156002, 'Cannot find target token in the system.');
    if (token.blockchain !== wallet.blockchain)
      throw new Refusal(400, 155220, 'wallet and token are on different chains');
    return token;
  }
  const tokens = tokensOf(double, wallet.blockchain);
  const found = tokens.find((one) =>
    address === undefined ? one.isNative : isSameAddress(one.tokenAddress ?? '', address),
  );
  if (!found) throw new Refusal(400, 156031, `${address} is not a supported token`);
  return found;
}

function readAmount(call: Call): string {
  const { amounts } = call.body;
  const [text] = Array.isArray(amounts) && amounts.length === 1 ? amounts : [];
  if (typeof text !== 'string' || !/^\d{1,30}(\.\d{1,30})?$/.test(text)) {
    throw new Refusal(400, 155221, 'amounts must be a list of one decimal');
  }
  return text;
}

function readRefId(call: Call): string {
  const refId = findText(call, 'refId') ?? '';
  if (refId.length > 100) throw new Refusal(400, 155503, 'refId must have at most 100 characters');
  return refId;
}

/** The amount that accepted transfers will still take from the balance. */
const promised = ({ store }: Double, wallet: Wallet, token: Token): bigint =>
  pendingOf(store.transactions.list(), wallet)
    .filter(({ tokenId }) => tokenId === token.id)
    .reduce((sum, { amounts }) => sum + parseUnits(amounts[0] ?? '0', token.decimals), 0n);

const pendingOf = (transactions: readonly Transaction[], { id }: Wallet): Transaction[] =>
  transactions.filter((one) => one.walletId === id && one.transactionType === 'OUTBOUND' && isPending(one.state));

function refuseFullQueue({ store }: Double, wallet: Wallet): void {
  const pending = pendingOf(store.transactions.list(), wallet).length;
  if (pending >= findQueueLimit(wallet.blockchain, wallet.accountType)) {
    throw new Refusal(400, 155264, `the wallet has ${pending} waiting transactions; wait for them`);
  }
}

interface Accepted {
  readonly operation: Transaction['operation'];
  readonly wallet: Wallet;
  readonly tokenId: string;
  readonly amounts: readonly string[];
  readonly destinationAddress: string;
  readonly contractAddress: string;
  readonly refId: string;
  readonly fee: Fee & { readonly level: string };
  readonly call: ChainCall | null;
}

function accept(double: Double, { wallet, call, fee, ...shown }: Accepted) {
  const number = nextNumber(double);
  const { level, ...wei } = fee;
  const transaction = saveTransaction(
    double,
    {
      ...newTransaction(nameId('transaction', number, randomBytes(16).toString('hex')), number),
      ...shown,
      transactionType: 'OUTBOUND',
      blockchain: wallet.blockchain,
      walletId: wallet.id,
      sourceAddress: wallet.address,
      feeLevel: level,
      work: { call, fee: wei, fate: takeFate(double.switches), nonce: null, versions: [], sentAtHead: 0 },
    },
    {},
  );
  return { id: transaction.id, state: transaction.state };
}

export async function executeContract(double: Double, call: Call) {
  const { wallet, chainCall } = readExecution(double, call);
  const fee = readFee(call, wallet);
  refuseFullQueue(double, wallet);
  return accept(double, {
    operation: 'CONTRACT_EXECUTION',
    wallet,
    tokenId: '',
    amounts: [],
    destinationAddress: '',
    contractAddress: chainCall.to,
    refId: readRefId(call),
    fee,
    call: chainCall,
  });
}

/** Either the call's bytes, or a signature like `transfer(address,uint256)` with its parameters. */
export function readExecution(
  double: Double,
  call: Call,
  addressName?: string,
): { wallet: Wallet; chainCall: ChainCall } {
  const wallet = findWalletOf(double, call, addressName);
  if (!double.chains.has(wallet.blockchain)) throw new Refusal(400, 156027, `no contracts run on ${wallet.blockchain}`);
  const to = getText(call, 'contractAddress');
  if (!isValidAddress(wallet.blockchain, to)) throw new Refusal(400, 155219, `${to} is not an address`);
  const value = String(parseUnits(findText(call, 'amount') ?? '0', 18));
  const [data, signature] = [findText(call, 'callData'), findText(call, 'abiFunctionSignature')];
  if ((data === undefined) === (signature === undefined))
    throw invalid('callData', 'or abiFunctionSignature is required');
  if (data !== undefined && !isHex(data)) throw invalid('callData', 'must be hex');
  return { wallet, chainCall: { to, data: data ?? encodeCall(signature!, call.body.abiParameters), value } };
}

function encodeCall(signature: string, parameters: unknown): Hex {
  try {
    const item = parseAbiItem(`function ${signature}`) as unknown as Abi[number] & {
      inputs: readonly { type: string }[];
    };
    const given = Array.isArray(parameters) ? parameters : [];
    const args = item.inputs.map(({ type }, i) => (/^u?int\d*$/.test(type) ? BigInt(given[i]) : given[i]));
    return encodeFunctionData({ abi: [item] as Abi, args });
  } catch (error) {
    throw invalid('abiFunctionSignature', `and abiParameters do not fit: ${(error as Error).message.split('\n')[0]}`);
  }
}

export function validateAddress(_double: Double, call: Call) {
  const [address, blockchain] = [getText(call, 'address'), getText(call, 'blockchain')];
  if (!findBlockchain(blockchain)) throw new Refusal(400, 156027, `${blockchain} is not a supported blockchain`);
  return { isValid: isValidAddress(blockchain, address) };
}
