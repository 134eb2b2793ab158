import type { NodeFault, NodeStanding } from '../../core/nodes.ts';
import { type Node, NodeError } from './createNode.ts';

/** So often in a row about the same: a node may be a block behind the others, or a block ahead, for a moment. */
const IN_A_ROW = 5;
/** A fault that was not seen again for this long is forgotten. */
const FORGOTTEN_AFTER_MS = 600_000;

/** `differs`: it contradicts the others, but in what an honest node that is behind gets wrong as well. */
type Kind = NodeFault['kind'] | 'differs';
/** The first of these is shown. */
const GRAVITY: readonly Kind[] = ['contradicts', 'no state', 'silent', 'behind', 'differs'];

interface Seen {
  readonly about: string;
  readonly since: Date;
  times: number;
  lastMs: number;
}

/** What is known against each node. It serves the operator: whom to believe is counted anew for every fact. */
interface NodeStandings {
  /** It said what counts. */
  agreed(node: Node, about: string): void;
  /** It has nothing, as the others: that does not show that it keeps up. */
  answered(node: Node): void;
  /** It said something else than what counts; `isMomentary`: an honest node may do that now and then. */
  contradicted(node: Node, about: string, isMomentary?: boolean): void;
  /** It does not have what the others have. */
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
