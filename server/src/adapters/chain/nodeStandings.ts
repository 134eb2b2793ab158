import type { NodeFault, NodeStanding } from '../../core/nodes.ts';
import { type Node, NodeError } from './createNode.ts';

/**
 * A fault counts after this many occurrences in a row on the same subject, because a node may briefly be a block behind
 * or ahead of the others.
 */
const IN_A_ROW = 5;
/** A fault that has not occurred again for this long is removed. */
const FORGOTTEN_AFTER_MS = 600_000;

/** `differs`: the node contradicts the others, but in a way that an honest lagging node might too. */
type Kind = NodeFault['kind'] | 'differs';
/** If a node has several faults, the first in this order is shown. */
const GRAVITY: readonly Kind[] = ['contradicts', 'no state', 'silent', 'behind', 'differs'];

interface Seen {
  readonly about: string;
  readonly since: Date;
  times: number;
  lastMs: number;
}

/** The recorded faults of each node. They only inform the operator: every decision counts the nodes' answers anew. */
interface NodeStandings {
  /** The node gave the accepted answer. */
  agreed(node: Node, about: string): void;
  /** The node has nothing, like the others. That does not prove that it keeps up. */
  answered(node: Node): void;
  /** The node's answer differs from the accepted one. `isMomentary`: an honest node may do that occasionally. */
  contradicted(node: Node, about: string, isMomentary?: boolean): void;
  /** The node lacks something that the others have. */
  lagged(node: Node, about: string): void;
  failed(node: Node, about: string, error: Error): void;
  list(): NodeStanding[];
}

export function nodeStandings(nodes: readonly Node[]): NodeStandings {
  const faults = new Map<Node, Map<Kind, Seen>>(nodes.map((node) => [node, new Map()]));
  const streaks = new Map<Node, Map<string, number>>(nodes.map((node) => [node, new Map()]));

  function see(node: Node, kind: Kind, about: string): void {
    const now = Date.now();
    const seen = faults.get(node)!.get(kind);
    if (seen && now - seen.lastMs < FORGOTTEN_AFTER_MS) {
      seen.times++;
      seen.lastMs = now;
    } else faults.get(node)!.set(kind, { about, since: new Date(now), times: 1, lastMs: now });
  }

  function seeAfterAWhile(node: Node, kind: Kind, about: string): void {
    const streak = (streaks.get(node)!.get(about) ?? 0) + 1;
    streaks.get(node)!.set(about, streak);
    if (streak >= IN_A_ROW) see(node, kind, about);
  }

  const hasAnswered = (node: Node) => void faults.get(node)!.delete('silent');

  return {
    answered: hasAnswered,
    agreed(node, about) {
      hasAnswered(node);
      streaks.get(node)!.delete(about);
    },
    contradicted(node, about, isMomentary = false) {
      hasAnswered(node);
      if (isMomentary) seeAfterAWhile(node, 'differs', about);
      else see(node, 'contradicts', about);
    },
    lagged(node, about) {
      hasAnswered(node);
      seeAfterAWhile(node, 'behind', about);
    },
    failed(node, about, error) {
      if (!(error instanceof NodeError)) return see(node, 'silent', about);
      hasAnswered(node);
      if (error.trouble === 'no state') see(node, 'no state', about);
      else seeAfterAWhile(node, 'behind', about);
    },
    list: () =>
      nodes.map((node) => {
        const now = Date.now();
        const kind = GRAVITY.find(
          (one) => now - (faults.get(node)!.get(one)?.lastMs ?? -Infinity) < FORGOTTEN_AFTER_MS,
        );
        if (!kind) return { host: node.host };
        const { about, since, times } = faults.get(node)!.get(kind)!;
        return { host: node.host, fault: { kind: kind === 'differs' ? 'contradicts' : kind, about, since, times } };
      }),
  };
}
