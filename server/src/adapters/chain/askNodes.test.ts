/** Tests which nodes are believed, with nodes that give scripted answers and no network. */
import { describe, expect, it } from 'vitest';
import { askNodes } from './askNodes.ts';
import { type Node, NodeError } from './createNode.ts';

type Behaviour = string | Error | Promise<string>;

const open = (...behaviours: Behaviour[]) => {
  const nodes = behaviours.map((behaviour, i): Node & { says: Behaviour; asked: number } => ({
    host: `node-${i}.example`,
    says: behaviour,
    asked: 0,
    ask: () => Promise.reject(new Error('not used')),
    async call<Result>() {
      this.asked++;
      if (this.says instanceof Error) throw this.says;
      return (await this.says) as Result;
    },
  }));
  const all = askNodes('ETH', nodes);
  const ask = (node: Node) => node.call<string>('x', []);
  return { nodes, all, agree: () => all.agree({ about: 'the weather', ask }) };
};

const SILENT = new Error('no answer');
const FOREVER = new Promise<string>(() => {});
const unavailable = { code: 'service.unavailable', details: { dependency: 'ETH' } };

describe('a fact', () => {
  it.each<readonly [Behaviour[], string | undefined]>([
    [['sun'], 'sun'],
    [['sun', 'sun'], 'sun'],
    [['sun', 'rain'], undefined],
    [['sun', SILENT], undefined],
    [['rain', 'sun', 'sun'], 'sun'],
    [[SILENT, 'sun', 'sun'], 'sun'],
    [['sun', SILENT, SILENT], undefined],
    [['sun', 'rain', 'snow'], undefined],
    [['sun', 'sun', 'rain', 'rain'], undefined],
    [['sun', 'sun', 'sun', 'rain'], 'sun'],
    [['rain', 'rain', 'sun', 'sun', 'sun'], 'sun'],
  ])('of %j is %s', async (behaviours, expected) => {
    const said = open(...behaviours).agree();
    if (expected === undefined) await expect(said).rejects.toMatchObject(unavailable);
    else expect(await said).toBe(expected);
  });

  it('does not wait for a node that hangs', async () => {
    expect(await open(FOREVER, 'sun', 'sun').agree()).toBe('sun');
  });

  it('without agreement comes with each node’s answer', async () => {
    const error = await open('sun', 'rain', SILENT)
      .agree()
      .catch((fault: Error) => fault);
    const { errors, message } = (error as Error).cause as AggregateError;
    expect(message).toBe('2 of 3 nodes must agree about the weather');
    expect(errors.map((one: Error) => one.message).sort()).toEqual([
      'the weather: node-0.example says "sun"',
      'the weather: node-1.example says "rain"',
      'the weather: node-2.example says no answer',
    ]);
  });
});

describe('a node', () => {
  it('that is silent is skipped while the others suffice, and asked when they do not', async () => {
    const { nodes, agree } = open('sun', 'sun', SILENT);
    await agree();
    await agree();
    expect(nodes.map((node) => node.asked)).toEqual([2, 2, 1]);
    nodes[0]!.says = 'rain';
    await expect(agree()).rejects.toMatchObject(unavailable);
    nodes[2]!.says = 'sun';
    expect(await agree()).toBe('sun');
  });

  it('is named for its fault, until it recovers', async () => {
    const { nodes, all, agree } = open('rain', 'sun', 'sun');
    await agree();
    const [liar, ...others] = all.standings();
    expect(liar).toMatchObject({
      host: 'node-0.example',
      fault: { kind: 'contradicts', about: 'the weather', times: 1 },
    });
    expect(others).toEqual([{ host: 'node-1.example' }, { host: 'node-2.example' }]);
    nodes[1]!.says = SILENT;
    nodes[0]!.says = 'sun';
    await agree();
    expect(all.standings()[1]).toMatchObject({ fault: { kind: 'silent' } });
    nodes[1]!.says = 'sun';
    nodes[2]!.says = SILENT;
    await agree();
    expect(all.standings()[1]).toEqual({ host: 'node-1.example' });
  });

  it('that lags is named only when it does so repeatedly', async () => {
    const { all, agree } = open(new NodeError(-32000, 'unknown block', 'no block'), 'sun', 'sun');
    for (let i = 0; i < 4; i++) await agree();
    expect(all.standings()[0]).toEqual({ host: 'node-0.example' });
    await agree();
    expect(all.standings()[0]).toMatchObject({ fault: { kind: 'behind' } });
  });
});

describe('a number that is only an estimate', () => {
  it.each([
    [['7'], 7n],
    [['7', '9'], 7n],
    [['7000', '7', '8'], 8n],
    [['0', '7', '8'], 7n],
    [[SILENT, '7', SILENT], 7n],
  ] as [Behaviour[], bigint][])('of %j is the median, %s', async (behaviours, expected) => {
    const { all } = open(...behaviours);
    const ask = async (node: Node) => [BigInt(await node.call<string>('x', []))];
    expect(await all.middles({ about: 'fees', ask }, 1)).toEqual([expected]);
  });
});
