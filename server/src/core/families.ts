/** What addresses look like. A wallet has the same address on all blockchains of one family. */
export type Family = 'evm' | 'solana' | 'aptos';

/**
 * Where no node of ours is: a provider sends there, and tells what happened. By Circle's names, which are ours too; the
 * database has the same table (`blockchain_family`).
 */
const ELSEWHERE: Readonly<Record<string, Exclude<Family, 'evm'>>> = {
  SOL: 'solana',
  'SOL-DEVNET': 'solana',
  APTOS: 'aptos',
  'APTOS-TESTNET': 'aptos',
};

export const familyOf = (blockchain: string): Family => ELSEWHERE[blockchain] ?? 'evm';

/** Solana and Aptos have none, and a database has NULL there. */
export const NO_CHAIN_ID = 0;

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ADDRESS_BYTES = 32;

export const isEvmAddress = (text: string): boolean => /^0x[0-9a-f]{40}$/i.test(text);

export const isAnyAddress = (text: string): boolean =>
  isEvmAddress(text) || readAddressOf('solana', text) !== undefined || readAddressOf('aptos', text) !== undefined;

/** An address of Solana or Aptos in the one form that we write it in; undefined: it is none. */
export function readAddressOf(family: Exclude<Family, 'evm'>, text: string): string | undefined {
  if (family === 'solana') return countBase58(text) === ADDRESS_BYTES ? text : undefined;
  // Aptos leaves out zeros at the beginning.
  const digits = /^0x([0-9a-f]{1,64})$/i.exec(text)?.[1];
  return digits && `0x${digits.toLowerCase().padStart(2 * ADDRESS_BYTES, '0')}`;
}

/** The same address is the same text: in lower case where case says nothing (0x), and as it is in base58. */
export const addressKey = (address: string): string => (/^0x/i.test(address) ? address.toLowerCase() : address);

/**
 * The hash of a chain transaction as it is stored: 0x and 64 digits, or of Solana 64 bytes in base58, in which case counts;
 * undefined: it is none. An address of Aptos looks like a hash.
 */
export function readHash(text: string): string | undefined {
  if (/^0x[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  return /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text) ? text : undefined;
}

/** Where coins would be lost: no key belongs to it. */
export const isZeroAddress = (address: string): boolean => /^(0x0+|1+)$/.test(address);

/** How many bytes a base58 text has; undefined: it is none. */
function countBase58(text: string): number | undefined {
  // Longer ones take time that grows with the square of their length.
  if (text.length > 44) return undefined;
  let number = 0n;
  for (const character of text) {
    const digit = BASE58.indexOf(character);
    if (digit < 0) return undefined;
    number = number * 58n + BigInt(digit);
  }
  const zeros = /^1*/.exec(text)![0].length;
  const hex = number === 0n ? '' : number.toString(16);
  return zeros + Math.ceil(hex.length / 2);
}
