import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { NodeFault } from '../core/nodes.ts';
import type { Chain } from '../core/ports.ts';
import { recordNodes } from '../custody/nodeFaults.ts';
import type { Db } from '../db/database.ts';

const EVERY_MS = 5_000;

/**
 * Until `signal`: records in the database, for `/readyz`, which nodes are silent, lag or contradict the others, and
 * logs once when it begins and once when it ends.
 */
export async function reportNodes(db: Db, chain: Chain, log: Logger, signal: AbortSignal): Promise<void> {
  const logged = new Map<number, NodeFault>();
  while (!signal.aborted) {
    logChanges(chain, logged, log);
    await recordNodes(db, chain).catch((error: unknown) =>
      log.warn({ err: error }, 'recording the state of the nodes failed'),
    );
    await sleep(EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

export function logChanges(chain: Pick<Chain, 'blockchain' | 'nodes'>, logged: Map<number, NodeFault>, log: Logger) {
  const { blockchain } = chain;
  for (const [i, { host, fault }] of chain.nodes().entries()) {
    const before = logged.get(i);
    if (fault && fault.kind !== before?.kind) {
      log.warn({ blockchain, host, fault: fault.kind, about: fault.about }, SAYS[fault.kind]);
    }
    if (before && !fault) log.info({ blockchain, host, times: before.times }, 'a node has recovered');
    if (fault) logged.set(i, fault);
    else logged.delete(i);
  }
}

const SAYS: Readonly<Record<NodeFault['kind'], string>> = {
  silent: 'a node does not answer',
  behind: 'a node is behind the others',
  'no state': 'a node no longer has the state of the final block: it cannot help to prove that a send can never happen',
  contradicts: 'a node contradicts the majority',
};
