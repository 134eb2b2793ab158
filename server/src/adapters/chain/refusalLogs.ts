import { smaller } from '../../core/bigints.ts';
import type { Block, Hex, RefusalLogs } from '../../core/ports.ts';
import type { Node } from './createNode.ts';
import { askRange, listByReceipts, type RawLog } from './tokenLogs.ts';
import { BLACKLISTED, PAUSE, UNPAUSE } from './usdcAbi.ts';

const FILTERS = [[[BLACKLISTED, PAUSE, UNPAUSE]]];

interface Range {
  readonly from: bigint;
  readonly to: Block;
  readonly token: Hex;
}

/**
 * Reads the logs from one node. These logs are rare, so the first request covers the whole range; it is halved when the
 * node refuses it.
 */
export async function listRefusals(node: Node, { from, to, token }: Range): Promise<RefusalLogs> {
  const found: RawLog[] = [];
  let span = to.number - from + 1n;
  for (let start = from; start <= to.number; ) {
    const end = smaller(start + span - 1n, to.number);
    const answer = await askRange(node, [token], start, end, to, FILTERS);
    if (answer === 'too wide' && start < end) span = (end - start + 1n) / 2n;
    else {
      found.push(...(answer === 'too wide' ? await listByReceipts(node, [token], start, FILTERS) : answer));
      start = end + 1n;
    }
  }
  return decode(found.filter((log) => !log.removed && log.address.toLowerCase() === token.toLowerCase()));
}

/** The ranges are in the order of the chain, and so are the logs of one answer. */
function decode(logs: readonly RawLog[]): RefusalLogs {
  const blacklisted = new Set<Hex>();
  let isPaused: boolean | undefined;
  for (const { topics } of logs) {
    if (topics[0] === BLACKLISTED && topics[1]) blacklisted.add(`0x${topics[1].slice(-40).toLowerCase()}`);
    if (topics[0] === PAUSE || topics[0] === UNPAUSE) isPaused = topics[0] === PAUSE;
  }
  return { blacklisted: [...blacklisted], isPaused };
}
