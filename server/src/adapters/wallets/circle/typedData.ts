import type { TypedDataDomain } from 'viem';
import { hashTypedData } from 'viem/utils';
import type { Hex, TokenDomain } from '../../../core/ports.ts';

type Field = { readonly name: string; readonly type: string };

/** Circle needs these too. With an empty list it would sign something that no token accepts. */
const DOMAIN_FIELDS: readonly Field[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];

interface TypedData {
  readonly domain: TokenDomain;
  readonly types: Readonly<Record<string, readonly Field[]>>;
  readonly message: Readonly<Record<string, string | bigint>>;
}

/**
 * Returns the JSON that Circle signs, in which every number is a decimal string, and the hash that the signature must
 * match.
 */
export function describeTypedData({ domain, types, message }: TypedData): {
  readonly data: string;
  readonly hash: Hex;
} {
  const [primaryType] = Object.keys(types) as [string];
  const { name, version, chainId, verifyingContract } = domain;
  const values = Object.entries(message).map(([field, value]) => [field, String(value)]);
  const data = JSON.stringify({
    types: { EIP712Domain: DOMAIN_FIELDS, ...types },
    domain: { name, version, chainId: String(chainId), verifyingContract },
    primaryType,
    message: Object.fromEntries(values),
  });
  const hash = hashTypedData({ domain: domain as TypedDataDomain, types, primaryType, message } as Parameters<
    typeof hashTypedData
  >[0]);
  return { data, hash };
}
