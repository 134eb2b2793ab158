/** Parses what people paste or scan to choose a payee. */
import { fromMicros } from '@florin/client';

export interface Destination {
  readonly username?: string;
  readonly address?: string;
  readonly chainId?: number;
  /** The contract of the token that a link asks for, or `null` for the coin of the network. Absent: any. */
  readonly token?: string | null;
  readonly amount?: string;
  /** The id of a money request. */
  readonly requestId?: string;
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const isEvmAddress = (text: string): boolean => ADDRESS.test(text);

/**
 * Distinguishes the two kinds of payee: usernames have at most 30 characters, and addresses of all blockchains have
 * more.
 */
export const isAddress = (name: string): boolean => name.length > 30;

/**
 * A username, an address, an EIP-681 link (`ethereum:TOKEN@CHAIN/transfer?address=…&uint256=…`) or a link to a money
 * request in the wallet at `origin`. Undefined: none of these.
 */
export function readDestination(text: string, origin: string): Destination | undefined {
  const given = text.trim();
  if (isEvmAddress(given)) return { address: given };
  if (given.startsWith('ethereum:')) return readEip681(given);
  if (given.startsWith(`${origin}/requests/`)) {
    const id = given.slice(`${origin}/requests/`.length);
    return UUID.test(id) ? { requestId: id } : undefined;
  }
  const name = given.replace(/^@/, '');
  return /^[A-Za-z0-9_]{3,30}$/.test(name) ? { username: name.toLowerCase() } : undefined;
}

function readEip681(link: string): Destination | undefined {
  const match = /^ethereum:(?:pay-)?(0x[0-9a-fA-F]{40})(?:@(\d+))?(\/transfer)?(?:\?(.*))?$/.exec(link);
  if (!match) return undefined;
  const [, first = '', chain, transfer, query = ''] = match;
  const given = new URLSearchParams(query);
  const address = transfer ? (given.get('address') ?? '') : first;
  if (!isEvmAddress(address)) return undefined;
  const units = given.get('uint256') ?? '';
  return {
    address,
    ...(transfer ? { token: first } : given.has('value') ? { token: null } : {}),
    ...(chain && { chainId: Number(chain) }),
    ...(transfer && /^\d{1,15}$/.test(units) && BigInt(units) > 0n && { amount: fromMicros(BigInt(units)) }),
  };
}

/** A link that other wallets understand: USDC, on this chain, with this amount. */
export function writeEip681(to: {
  readonly token: string;
  readonly chainId: number;
  readonly address: string;
  readonly micros?: bigint;
}): string {
  const units = to.micros === undefined ? '' : `&uint256=${to.micros}`;
  return `ethereum:${to.token}@${to.chainId}/transfer?address=${to.address}${units}`;
}

export const shorten = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;
