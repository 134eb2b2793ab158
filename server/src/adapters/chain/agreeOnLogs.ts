import { PayError } from '../../core/errors.ts';
import type { TokenLog } from '../../core/ports.ts';
import { OtherBranch, type Rpc } from './createRpc.ts';

/** A node that gave no answer is not asked again for this long. */
const SHUN_MS = 15_000;

type AgreeOnLogs = (list: (node: Rpc) => Promise<TokenLog[]>) => Promise<TokenLog[]>;

/**
 * Asks all nodes for the logs that money depends on, because one node may lie or silently leave logs out. If two or
 * more answer, two must give the same logs; a single answer counts only while the other nodes do not answer at all. A
 * node that does not know the block in question counts as one that disagrees.
 */
export function agreeOnLogs(blockchain: string, nodes: readonly Rpc[]): AgreeOnLogs {
  const shunnedUntil = new Map<Rpc, number>();

  return async (list) => {
    const available = nodes.filter((node) => (shunnedUntil.get(node) ?? 0) <= Date.now());
    const asked = available.length > 0 ? available : nodes;
    const answers = await Promise.allSettled(asked.map(list));
    const said = new Map<string, { readonly logs: TokenLog[]; times: number }>();
    let heard = 0;
    answers.forEach((answer, i) => {
      if (answer.status === 'rejected') {
        if (isContradiction(answer.reason)) heard++;
        else shunnedUntil.set(asked[i]!, Date.now() + SHUN_MS);
        return;
      }
      heard++;
      const text = print(answer.value);
      said.set(text, { logs: answer.value, times: (said.get(text)?.times ?? 0) + 1 });
    });
    const [best] = [...said.values()].sort((a, b) => b.times - a.times);
    if (best && (heard === 1 || best.times > 1)) return best.logs;
    const cause = heard > 1 ? new Error('the nodes disagree about what happened') : reasonsOf(answers);
    throw new PayError('service.unavailable', { dependency: blockchain }, { cause });
  };
}

const print = (logs: readonly TokenLog[]): string =>
  JSON.stringify(logs, (_, value) => (typeof value === 'bigint' ? String(value) : value));

const isContradiction = (reason: unknown): boolean => {
  const cause = (reason as Error).cause;
  return cause instanceof AggregateError && cause.errors.some((one) => one instanceof OtherBranch);
};

const reasonsOf = (answers: readonly PromiseSettledResult<unknown>[]): AggregateError =>
  new AggregateError(answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : [])));
