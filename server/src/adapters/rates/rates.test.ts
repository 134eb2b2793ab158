import { createServer, type Server, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalChain } from '../../../../sandbox/src/chain/openLocalChain.ts';
import { operateToken } from '../../../../sandbox/src/chain/operateToken.ts';
import { PLACE, type ServedTestChain, serveTestChain } from '../../../../test/support/chain/serveTestChain.ts';
import { listen } from '../../../../test/support/http/listen.ts';
import type { Chain } from '../../core/ports.ts';
import { viemChain } from '../chain/viemChain.ts';
import { feedRates, renderDecimal } from './feedRates.ts';
import { feeds } from './feeds.ts';
import { httpRates } from './httpRates.ts';

describe('feeds on a chain', () => {
  let local: LocalChain;
  let served: ServedTestChain;
  let chain: Chain;
  beforeAll(async () => {
    served = await serveTestChain();
    local = served.local;
    chain = viemChain(served.config);
    await local.mine();
  });
  afterAll(() => served.close());

  it('are read in one call, each with its own time', async () => {
    await operateToken(local).setPrice('EUR/USD', '1.09125', 1_700_000_123);
    await local.mine();
    const rates = await feedRates(chain, feeds['ETH-SEPOLIA']!).read(() => expect.unreachable());
    expect(rates.map(({ pair, price, source }) => [pair, price, source])).toEqual([
      ['USDC/USD', '0.99987', 'chainlink:ETH-SEPOLIA'],
      ['ETH/USD', '3512.44', 'chainlink:ETH-SEPOLIA'],
      ['EUR/USD', '1.09125', 'chainlink:ETH-SEPOLIA'],
    ]);
    expect(rates[2]!.asOf.toISOString()).toBe('2023-11-14T22:15:23.000Z');
    expect(Date.now() - rates[0]!.asOf.getTime()).toBeLessThan(600_000);
  });

  it('without a valid price are left out and reported', async () => {
    await operateToken(local).setPrice('ETH/USD', '0', 0);
    await local.mine();
    const reported: string[] = [];
    const all = { ...feeds['ETH-SEPOLIA']!, 'XXX/USD': { address: PLACE.usdc, maxAgeSeconds: 1 } };
    const rates = await feedRates(chain, all).read((pair, fault) => reported.push(`${pair}: ${fault.message}`));
    expect(rates.map(({ pair }) => pair)).toEqual(['USDC/USD', 'EUR/USD']);
    expect(reported).toEqual(['ETH/USD: the feed returned no positive price', 'XXX/USD: the feed does not answer']);
  });

  it('of a rollup are not read while its sequencer is down or has just restarted', async () => {
    // The ETH/USD feed acts as the sequencer's feed: answer 0 means up, since the time of its round.
    const operator = operateToken(local);
    const read = (now: Date) =>
      feedRates(chain, feeds['ETH-SEPOLIA']!, { sequencer: PLACE.feeds['ETH/USD'], now: () => now }).read(() => {});
    await operator.setPrice('ETH/USD', '0', 1_700_000_000);
    await local.mine();
    expect(await read(new Date(1_700_010_000_000))).toHaveLength(2);
    await expect(read(new Date(1_700_000_060_000))).rejects.toThrow('just restarted');
    await operator.setPrice('ETH/USD', '0.00000001', 1_700_000_000);
    await local.mine();
    await expect(read(new Date(1_700_010_000_000))).rejects.toThrow('sequencer is down');
  });
});

describe('HTTP services and subgraphs', () => {
  let server: Server;
  let url: string;
  let answer: unknown;
  let respond: ((response: ServerResponse) => void) | undefined;
  const seen: string[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        seen.push(`${request.method} ${body}`);
        if (respond) respond(response);
        else response.end(JSON.stringify(answer));
      });
    });
    url = `http://127.0.0.1:${await listen(server)}/price`;
  });
  afterAll(() => server.close());

  it('give the price and the time at their paths', async () => {
    answer = { data: { bundle: { ethPriceUSD: '3512.123456789012345678901', at: 1_700_000_000 } } };
    const source = { pair: 'ETH/USD', url, path: 'data.bundle.ethPriceUSD', maxAgeSeconds: 60 };
    const [rate] = await httpRates({ ...source, query: '{ bundle { ethPriceUSD } }', timePath: 'data.bundle.at' }).read(
      () => {},
    );
    expect(rate).toMatchObject({ price: '3512.123456789012345678', asOf: new Date(1_700_000_000_000) });
    expect(seen.at(-1)).toBe('POST {"query":"{ bundle { ethPriceUSD } }"}');
    answer = { prices: [{ value: 1.0865 }] };
    const [plain] = await httpRates({ pair: 'EUR/USD', url, path: 'prices.0.value', maxAgeSeconds: 60 }).read(() => {});
    expect(plain?.price).toBe('1.0865');
    expect(seen.at(-1)).toBe('GET ');
  });

  it.each([{}, { price: -1 }, { price: '0.00' }, { price: { a: 1 } }, { price: '1e99' }, 'text'])(
    '%j is not a price',
    async (body) => {
      answer = body;
      const reported: string[] = [];
      const rates = await httpRates({ pair: 'ETH/USD', url, path: 'price', maxAgeSeconds: 60 }).read((pair) =>
        reported.push(pair),
      );
      expect([rates, reported]).toEqual([[], ['ETH/USD']]);
    },
  );

  it.each<[string, (response: ServerResponse) => void, RegExp]>([
    ['that redirects', (response) => response.writeHead(302, { location: `${url}?elsewhere` }).end(), /fetch failed/],
    [
      'beyond a megabyte',
      (response) => response.end(`{"price":1,"x":"${'x'.repeat(1_100_000)}"}`),
      /more than 1048576/,
    ],
    [
      'that is a compression bomb',
      (response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(`{"price":1${' '.repeat(5_000_000)}}`)),
      /more than 1048576/,
    ],
  ])('an answer %s does not count', async (_, given, fault) => {
    respond = given;
    const reported: string[] = [];
    const asked = seen.length;
    const source = { pair: 'ETH/USD', url, path: 'price', maxAgeSeconds: 60 };
    const rates = await httpRates(source).read((_pair, error) => reported.push(error.message));
    respond = undefined;
    expect(rates).toEqual([]);
    expect(reported).toEqual([expect.stringMatching(fault)]);
    expect(seen.length).toBe(asked + 1);
  });
});

it.each([
  [1n, 8, '0.00000001'],
  [100_000_000n, 8, '1'],
  [351_244_000_000n, 8, '3512.44'],
  [7n, 0, '7'],
])('%d with %d decimals is %s', (value, places, text) => expect(renderDecimal(value, places)).toBe(text));
