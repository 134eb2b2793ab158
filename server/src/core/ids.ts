import { hash, randomUUID } from 'node:crypto';

export const newId = (): string => randomUUID();

/**
 * The id of what a caller asked for under an `Idempotency-Key`: always the same for the same caller, route and
 * key, so that even a database restored from yesterday gives a client's retry the same id.
 */
export function idFromKey(caller: string, route: string, key: string): string {
  const text = `${sized(caller)}${sized(route)}${sized(key)}`;
  // One call that answers a text: a hash object takes three times as long, a buffer twice, on the path of every payment.
  return shapeHex(hash('sha256', text));
}

const sized = (part: string): string => `${Buffer.byteLength(part)}:${part}`;

/** The first 16 bytes as a UUID v4: provider APIs that insist on v4 accept it. */
export const shapeUuid = (bytes: Uint8Array): string => shapeHex(Buffer.from(bytes.subarray(0, 16)).toString('hex'));

function shapeHex(hex: string): string {
  const variant = VARIANTS[Number.parseInt(hex[16]!, 16) & 3]!;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const VARIANTS = '89ab';
