import type { TokenLog } from '../../core/ports.ts';
import type { LogPosition } from './cursor.ts';

/** Logs that are applied in one commit. */
export interface LogChunk {
  readonly logs: readonly TokenLog[];
  /** Earlier logs of the first log's chain transaction, from previous chunks. */
  readonly earlier: readonly TokenLog[];
}

/**
 * Splits logs at the ends of chain transactions. A chain transaction with more than `size` logs is split too, but never
 * between the use of an authorization and its transfer. The first `applied` logs are left out. There is always at least
 * one chunk, perhaps an empty one.
 */
export function cutLogs(logs: readonly TokenLog[], applied: number, size: number): LogChunk[] {
  const chunks: LogChunk[] = [];
  for (let start = applied; start < logs.length || chunks.length === 0; ) {
    const end = findEnd(logs, start, size);
    let first = start;
    while (first > 0 && logs[first - 1]!.txHash === logs[start]?.txHash) first--;
    chunks.push({ logs: logs.slice(start, end), earlier: logs.slice(first, start) });
    start = end;
  }
  return chunks;
}

/** How many of these logs are applied when everything up to `part` is. */
export const countApplied = (logs: readonly TokenLog[], part: LogPosition | undefined): number =>
  part === undefined ? 0 : logs.filter((log) => isUpTo(part, log)).length;

const isUpTo = ({ number, log }: LogPosition, { blockNumber, logIndex }: TokenLog): boolean =>
  blockNumber < number || (blockNumber === number && logIndex <= log);

function findEnd(logs: readonly TokenLog[], start: number, size: number): number {
  const isCut = (at: number) => at >= logs.length || logs[at - 1]!.txHash !== logs[at]!.txHash;
  if (start + size >= logs.length) return logs.length;
  for (let end = start + size; end > start; end--) if (isCut(end)) return end;
  let end = start + size;
  while (!isCut(end) && logs[end - 1]!.kind === 'used') end++;
  return end;
}
