import { hash, randomUUID } from 'node:crypto';

export const newId = (): string => randomUUID();

/**
 * Derives the payment id from an `Idempotency-Key`. The same caller, route and key always give the same id, so a
 * client's retry gets the same id even from a database restored from yesterday's backup.
 */
export function idFromKey(caller: string, route: string, key: string): string {
  const text = `${sized(caller)}${sized(route)}${sized(key)}`;
  // This runs for every payment. Measured: `createHash` takes three times as long, and hashing to a buffer twice as
  // long.
  return shapeHex(hash('sha256', text));
}

const sized = (part: string): string => `${Buffer.byteLength(part)}:${part}`;

/** Formats the first 16 bytes as a UUID v4, because some provider APIs accept only v4. */
export const shapeUuid = (bytes: Uint8Array): string => shapeHex(Buffer.from(bytes.subarray(0, 16)).toString('hex'));

function shapeHex(hex: string): string {
  const variant = VARIANTS[Number.parseInt(hex[16]!, 16) & 3]!;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const VARIANTS = '89ab';
