/**
 * Tests logs from nodes that return only a few at a time, or that refuse for other reasons, with the messages of real
 * providers.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operateToken } from '../../../../sandbox/src/chain/operateToken.ts';
import { type Lie, Refusal, serveLiar } from '../../../../test/support/chain/serveLiar.ts';
import { type ServedTestChain, serveTestChain } from '../../../../test/support/chain/serveTestChain.ts';
import type { Chain, Hex } from '../../core/ports.ts';
import { viemChain } from './viemChain.ts';

const wallet = '0x00000000000000000000000000000000000A11cE' as const;
let served: ServedTestChain;
let chain: Chain;

beforeAll(async () => {
  served = await serveTestChain();
  chain = viemChain(served.config);
  const operator = operateToken(served.local);
  for (let block = 0; block < 6; block++) {
    for (let i = 0; i <= block; i++) await operator.mint(wallet, 1_000_000n);
    await served.local.mine({ count: 3 });
  }
});
afterAll(() => served.close());

it('does not count a Transfer of the native coin’s address, with 18 decimals, as the token’s', async () => {
  const native = `0x${'f'.repeat(39)}e`;
  const node = await serveLiar(served.url);
  // On such a chain (EIP-7708) the same receiver has one log of each kind in the same chain transaction.
  node.lie = ({ method }, truth) =>
    method === 'eth_getLogs'
      ? (truth as { data: Hex; logIndex: Hex }[]).flatMap((log) => [
          log,
          { ...log, address: native, data: `${log.data.slice(0, -12)}${'0'.repeat(12)}` },
        ])
      : truth;
  const one = viemChain({ ...served.config, rpcUrls: [node.url] });
  const to = await chain.getHead();
  const truth = await chain.listTokenLogs({ from: 0n, to, wallets: [wallet] });
  expect(truth).toHaveLength(21);
  expect(await one.listTokenLogs({ from: 0n, to, wallets: [wallet] }).finally(() => node.close())).toEqual(truth);
});

describe('nodes that list no logs', () => {
  const ask = async (lie: Lie) => {
    const calls: string[] = [];
    const node = await serveLiar(served.url);
    node.lie = (call, truth, next) => {
      calls.push(call.method);
      return lie(call, truth, next);
    };
    const one = viemChain({ ...served.config, rpcUrls: [node.url] });
    const to = await chain.getHead();
    const list = (wallets: 'all' | readonly Hex[]) =>
      one.listTokenLogs({ from: 0n, to, wallets, isDecisive: true }).finally(() => node.close());
    const truth = (wallets: 'all' | readonly Hex[]) => chain.listTokenLogs({ from: 0n, to, wallets });
    return { list, truth, calls };
  };
  const cap =
    (most: number, refusal: Refusal): Lie =>
    ({ method }, truth) => {
      if (method === 'eth_getLogs' && (truth as unknown[]).length > most) throw refusal;
      return truth;
    };

  it.each([
    [-32005, 'query returned more than 10000 results'],
    [-32005, 'query timeout exceeded'],
    [-32602, 'query exceeds max results 20000'],
    [-32000, 'logs matched by query exceeds limit of 10000'],
  ])('get requests for fewer blocks when they say: %s %s', async (code, message) => {
    const { list, truth } = await ask(cap(8, new Refusal(code, message)));
    expect(await list([wallet])).toEqual(await truth([wallet]));
  });

  it('get a request for the receipts of a single block with too many logs', async () => {
    const { list, truth } = await ask(async ({ method, params }, answer, next) => {
      if (method !== 'eth_getBlockReceipts') {
        return cap(1, new Refusal(-32005, 'query returned more than 10000 results'))({ method, params }, answer, next);
      }
      const block = (await next('eth_getBlockByNumber', [params[0], false])) as { transactions: Hex[] };
      return Promise.all(block.transactions.map((hash) => next('eth_getTransactionReceipt', [hash])));
    });
    const all = await truth('all');
    expect(all.length).toBeGreaterThan(8);
    expect(await list('all')).toEqual(all);
  });

  it.each([
    [-32007, '25/second request limit reached - reduce calls per second or upgrade your account'],
    [429, 'Your app has exceeded its compute units per second capacity'],
  ])('get no further requests when they say: %s %s', async (code, message) => {
    const { list, calls } = await ask(cap(-1, new Refusal(code, message)));
    await expect(list([wallet])).rejects.toMatchObject({ code: 'service.unavailable' });
    expect(calls.filter((method) => method === 'eth_getBlockByNumber')).toHaveLength(1);
  });
});
