import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen } from '../../../../test/support/http/listen.ts';
import { canLeaveTwoPrimaries, checkPatroni } from './checkPatroni.ts';

let version: unknown = '3.0.2';
const patroni = createServer((_, response) => response.end(JSON.stringify({ role: 'replica', patroni: { version } })));
let port: number;
beforeAll(async () => {
  port = await listen(patroni);
});
afterAll(() => void patroni.close());

const check = (at = port) => checkPatroni('postgres://login@127.0.0.1:5432,127.0.0.1:5433/florin', at);

it('warns about each node whose Patroni can leave two primaries', async () => {
  const found = await check();
  expect(found).toHaveLength(2);
  expect(found[0]).toMatchObject({
    area: 'database',
    level: 'warning',
    says: 'Patroni 3.0.2 on 127.0.0.1 can leave two primaries: acknowledged payments are lost',
  });
});

it('says nothing about newer ones, about others, and about hosts without Patroni', async () => {
  for (version of ['4.1.4', undefined, 'x\u001b[2J']) expect(await check()).toEqual([]);
  expect(await check(1)).toEqual([]);
});

it('compares versions by number', () => {
  expect(['2.9', '3', '3.0.4', '3.1', '3.1.0', '3.10.1', '4', '10.0'].map(canLeaveTwoPrimaries)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});
