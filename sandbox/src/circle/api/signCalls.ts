import { type Hex, hexToBytes, isHex, numberToHex, parseSignature, parseTransaction, serializeSignature } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { findBlockchain } from '../blockchains.ts';
import type { Double } from '../double.ts';
import { accountOf } from '../keys.ts';
import type { Wallet } from '../records.ts';
import type { Switches } from '../switches.ts';
import { type Call, findText, getText } from './call.ts';
import { invalid, Refusal } from './refusal.ts';
import { findWalletOf, refuseFrozen } from './walletCalls.ts';

export async function signMessage(double: Double, call: Call) {
  const account = accountOf(double.secrets.seed, findSigner(double, call));
  const message = getText(call, 'message');
  const isHexMessage = call.body.encodedByHex === true;
  if (isHexMessage && !isHex(message)) throw invalid('message', 'must be hex if encodedByHex is true');
  const raw = isHexMessage ? hexToBytes(message as Hex) : message;
  const signature = await account.signMessage({ message: typeof raw === 'string' ? raw : { raw } });
  return { signature: bend(double.switches, signature) };
}

interface TypedData {
  readonly domain: Record<string, unknown>;
  readonly types: Record<string, readonly { name: string; type: string }[]>;
  readonly primaryType: string;
  readonly message: Record<string, unknown>;
}

export async function signTypedData(double: Double, call: Call) {
  const account = accountOf(double.secrets.seed, findSigner(double, call));
  const data = readTypedData(getText(call, 'data'));
  let signature: Hex;
  try {
    signature = await account.signTypedData(data);
  } catch (error) {
    throw invalid('data', `cannot be signed: ${(error as Error).message.split('\n')[0]}`);
  }
  return { signature: bend(double.switches, signature) };
}

/**
 * Without the fields of `EIP712Domain`, or with an empty list of them, libraries sign something that no contract
 * accepts. The double refuses that, even if Circle does not.
 */
function readTypedData(text: string): TypedData {
  let data: Partial<TypedData> | null;
  try {
    data = JSON.parse(text);
  } catch {
    throw invalid('data', 'must be the JSON text of EIP-712 typed data');
  }
  const { domain, types, primaryType, message } = data ?? {};
  if (!isObject(domain) || !isObject(types) || !isObject(message) || typeof primaryType !== 'string') {
    throw invalid('data', 'must have domain, types, primaryType and message');
  }
  const fields = types.EIP712Domain;
  if (!Array.isArray(fields) || fields.length === 0)
    throw invalid('data', 'must list the fields of EIP712Domain in types');
  const listed = fields.map(({ name }: { name: string }) => name);
  const given = Object.keys(domain);
  if (given.some((name) => !listed.includes(name)) || listed.some((name) => !given.includes(name))) {
    throw invalid('data', 'must have the same fields in domain and in types.EIP712Domain');
  }
  if (!Array.isArray(types[primaryType])) throw invalid('data', `must describe ${primaryType} in types`);
  return { domain, types, primaryType, message } as TypedData;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Circle signs chain transactions only for wallets that belong to no particular EVM chain. */
export async function signTransaction(double: Double, call: Call) {
  const wallet = findSigner(double, call);
  if (!findBlockchain(wallet.blockchain)!.isGeneric) {
    throw new Refusal(400, 156027, `transactions are not signed for wallets on ${wallet.blockchain}`);
  }
  const signedTransaction = await accountOf(double.secrets.seed, wallet).signTransaction(readTransaction(call));
  const parsed = parseTransaction(signedTransaction);
  const signature = serializeSignature({ r: parsed.r!, s: parsed.s!, yParity: parsed.yParity! });
  return { signature, signedTransaction };
}

type Unsigned = Parameters<PrivateKeyAccount['signTransaction']>[0];

/** Either the unsigned bytes, or their content as JSON text with decimal numbers. */
function readTransaction(call: Call): Unsigned {
  const [raw, text] = [findText(call, 'rawTransaction'), findText(call, 'transaction')];
  if ((raw === undefined) === (text === undefined)) throw invalid('rawTransaction', 'or transaction is required');
  try {
    if (raw !== undefined) return parseTransaction(raw as Hex) as Unsigned;
    const { gas, value, maxFeePerGas, maxPriorityFeePerGas, gasPrice, nonce, chainId, to, data } = JSON.parse(text!);
    const numbers = Object.entries({ gas, value, maxFeePerGas, maxPriorityFeePerGas, gasPrice })
      .filter(([, number]) => number !== undefined)
      .map(([name, number]) => [name, BigInt(number)]);
    return { to, data, nonce: Number(nonce), chainId: Number(chainId), ...Object.fromEntries(numbers) } as Unsigned;
  } catch {
    throw invalid('rawTransaction', 'cannot be read');
  }
}

/**
 * A smart contract account cannot sign before it is deployed, and ours never are; Solana and others sign in another
 * way.
 */
function findSigner(double: Double, call: Call): Wallet {
  const wallet = findWalletOf(double, call);
  refuseFrozen(double, wallet);
  if (findBlockchain(wallet.blockchain)!.family !== 'evm') {
    throw new Refusal(400, 156027, `the double does not sign on ${wallet.blockchain}`);
  }
  if (wallet.accountType === 'SCA') throw invalid('walletId', 'is of a smart contract account that is not deployed');
  return wallet;
}

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Forms that a client has to repair or to refuse. */
function bend({ signatures }: Switches, signature: Hex): Hex {
  const { r, s, yParity } = parseSignature(signature);
  if (signatures === 'v_0_or_1') return `${signature.slice(0, 130)}0${yParity}` as Hex;
  if (signatures === 'high_s') {
    const high = numberToHex(ORDER - BigInt(s), { size: 32 });
    return serializeSignature({ r, s: high, yParity: 1 - yParity });
  }
  // The same r and s with the other parity are a signature of the same data by another key.
  if (signatures === 'other_signer') return serializeSignature({ r, s, yParity: 1 - yParity });
  return signature;
}
