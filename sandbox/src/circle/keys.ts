import { createHash, createHmac, createPrivateKey, createPublicKey } from 'node:crypto';
import { type Address, type Hex, isAddress } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { findBlockchain } from './blockchains.ts';
import type { AccountType } from './records.ts';

/** A UUID derived from its content, with the version that most of Circle's ids have. */
export function nameId(...names: readonly (string | number)[]): string {
  const hex = createHash('sha256').update(names.join('\n')).digest('hex');
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}

interface KeyPath {
  readonly walletSetId: string;
  readonly accountType: AccountType;
  readonly index: number;
}

/** The key of an EVM wallet. A smart contract wallet has its own key, so its address differs too. */
const evmKeyOf = (seed: string, path: KeyPath): Hex => `0x${derive(seed, 'evm', path).toString('hex')}`;

export const accountOf = (seed: string, path: KeyPath): PrivateKeyAccount => privateKeyToAccount(evmKeyOf(seed, path));

function derive(seed: string, curve: 'evm' | 'ed25519', { walletSetId, accountType, index }: KeyPath): Buffer {
  return createHmac('sha256', Buffer.from(seed, 'hex'))
    .update([curve, walletSetId, accountType, index].join('/'))
    .digest();
}

/** Addresses as Circle writes them: those of EVM chains in lower case. */
export function addressOf(seed: string, blockchain: string, path: KeyPath): string {
  const family = findBlockchain(blockchain)!.family;
  if (family === 'evm') return privateKeyToAddress(evmKeyOf(seed, path)).toLowerCase();
  const publicKey = publicKeyOf(derive(seed, 'ed25519', path));
  if (family === 'solana') return encodeBase58(publicKey);
  if (family === 'near') return publicKey.toString('hex');
  // Aptos: the hash of the key and of its signature scheme, 0 for one ed25519 key.
  return `0x${createHash('sha3-256').update(publicKey).update(Uint8Array.of(0)).digest('hex')}`;
}

/** The PKCS #8 prefix of a raw ed25519 key. */
const ED25519_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

function publicKeyOf(secret: Buffer): Buffer {
  const key = createPrivateKey({ key: Buffer.concat([ED25519_HEAD, secret]), format: 'der', type: 'pkcs8' });
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

export function encodeBase58(bytes: Uint8Array): string {
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`);
  let text = '';
  for (; number > 0n; number /= 58n) text = BASE58.charAt(Number(number % 58n)) + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text;
}

/** The bytes of a base58 text, or undefined if it is not base58. */
function decodeBase58(text: string): Buffer | undefined {
  let number = 0n;
  for (const character of text) {
    const digit = BASE58.indexOf(character);
    if (digit < 0) return undefined;
    number = number * 58n + BigInt(digit);
  }
  const hex = number === 0n ? '' : number.toString(16);
  const zeros = /^1*/.exec(text)![0].length;
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')]);
}

export function isValidAddress(blockchain: string, address: string): boolean {
  const family = findBlockchain(blockchain)?.family;
  if (family === 'evm') return isAddress(address as Address);
  if (family === 'solana') return address.length <= 44 && decodeBase58(address)?.length === 32;
  if (family === 'aptos') return /^0x[0-9a-fA-F]{64}$/.test(address);
  return family === 'near' && /^([0-9a-f]{64}|[a-z0-9_-]{2,64}(\.[a-z0-9_-]+)*)$/.test(address);
}

/** Addresses of EVM chains and Aptos are case-insensitive; those of Solana are not. */
export const isSameAddress = (one: string, other: string): boolean =>
  one === other || (/^0x/i.test(one) && one.toLowerCase() === other.toLowerCase());
