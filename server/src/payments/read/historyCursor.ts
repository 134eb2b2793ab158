import { PayError } from '../../core/errors.ts';
import type { HistoryPosition } from './readPayments.ts';

/**
 * A cursor only means "below these entries of the requested history". A forged cursor reads nothing that its caller may
 * not read anyway, so it needs no signature, only a checksum that detects truncated cursors.
 */
export function renderCursor(position: HistoryPosition): string {
  const text = [...position].map(([assetId, entry]) => `${assetId}:${entry}`).join('.');
  return Buffer.from(`1.${text}.${checksum(text)}`).toString('base64url');
}

export function parseCursor(cursor: string): HistoryPosition {
  const match = /^1\.((?:\d{1,5}:\d{1,18}\.)*\d{1,5}:\d{1,18})\.(\d+)$/.exec(
    Buffer.from(cursor, 'base64url').toString('latin1'),
  );
  if (!match || checksum(match[1]!) !== match[2] || cursor.length > 512) throw new PayError('cursor.invalid');
  return new Map(
    match[1]!.split('.').map((part) => {
      const [assetId = '', entry = ''] = part.split(':');
      return [Number.parseInt(assetId, 10), BigInt(entry)];
    }),
  );
}

function checksum(text: string): string {
  let sum = 7;
  for (const letter of Buffer.from(text)) sum = (sum * 31 + letter) % 99_991;
  return String(sum);
}
