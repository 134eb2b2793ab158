import type { Logger } from 'pino';
import { expect, it } from 'vitest';
import type { NodeFault, NodeStanding } from '../core/nodes.ts';
import { logChanges } from './reportNodes.ts';

it('a node that contradicts the others is logged once with its host, and once more when it recovers', () => {
  const lines: object[] = [];
  const note = (fields: object, message: string) => void lines.push({ ...fields, message });
  const log = { warn: note, info: note } as unknown as Logger;
  const logged = new Map<number, NodeFault>();
  const report = (fault?: Omit<NodeFault, 'since'>) => {
    const standing: NodeStanding = { host: 'node.example', ...(fault && { fault: { ...fault, since: new Date(0) } }) };
    logChanges({ blockchain: 'ETH', nodes: () => [{ host: 'other.example' }, standing] }, logged, log);
  };
  report();
  for (const times of [1, 2, 3]) report({ kind: 'contradicts', about: 'balances', times });
  report();
  report();
  expect(lines).toEqual([
    {
      blockchain: 'ETH',
      host: 'node.example',
      fault: 'contradicts',
      about: 'balances',
      message: 'a node contradicts the majority',
    },
    { blockchain: 'ETH', host: 'node.example', times: 3, message: 'a node has recovered' },
  ]);
});
