/** An address format. A wallet has the same address on all blockchains of one family. */
export type Family = 'evm' | 'solana' | 'aptos';

/**
 * Unwatched chains: we run no node there, so a provider sends and reports what happened. The keys are Circle's
 * blockchain names, which we use too. The database has the same table (`blockchain_family`).
 */
const ELSEWHERE: Readonly<Record<string, Exclude<Family, 'evm'>>> = {
  SOL: 'solana',
  'SOL-DEVNET': 'solana',
  APTOS: 'aptos',
  'APTOS-TESTNET': 'aptos',
};

export const familyOf = (blockchain: string): Family => ELSEWHERE[blockchain] ?? 'evm';

/** Solana and Aptos have no chain id. The database stores NULL for them. */
export const NO_CHAIN_ID = 0;

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ADDRESS_BYTES = 32;

export const isEvmAddress = (text: string): boolean => /^0x[0-9a-f]{40}$/i.test(text);

export const isAnyAddress = (text: string): boolean =>
  isEvmAddress(text) || readAddressOf('solana', text) !== undefined || readAddressOf('aptos', text) !== undefined;

/** Returns a Solana or Aptos address in our canonical form, or undefined if the text is not a valid address. */
export function readAddressOf(family: Exclude<Family, 'evm'>, text: string): string | undefined {
  if (family === 'solana') return countBase58(text) === ADDRESS_BYTES ? text : undefined;
  // Aptos omits leading zeros.
  const digits = /^0x([0-9a-f]{1,64})$/i.exec(text)?.[1];
  return digits && `0x${digits.toLowerCase().padStart(2 * ADDRESS_BYTES, '0')}`;
}

/**
 * Equal addresses have equal keys. 0x addresses are not case-sensitive and become lower case; base58 addresses stay as
 * they are.
 */
export const addressKey = (address: string): string => (/^0x/i.test(address) ? address.toLowerCase() : address);

/**
 * Returns a chain transaction hash in the form we store, or undefined if the text is not a hash. The forms are 0x and
 * 64 hex digits, or for Solana 64 bytes in base58, which is case-sensitive. An Aptos address has the same form as a
 * hash.
 */
export function readHash(text: string): string | undefined {
  if (/^0x[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  return /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text) ? text : undefined;
}

/** No key exists for the zero address, so coins sent there are lost. */
export const isZeroAddress = (address: string): boolean => /^(0x0+|1+)$/.test(address);

/** Returns the number of bytes that a base58 text encodes, or undefined if the text is not base58. */
function countBase58(text: string): number | undefined {
  // The conversion takes quadratic time. No address is longer than this.
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
