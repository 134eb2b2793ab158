/** The client's request for every operation of both documents; and how it reads lists and waits for ends. */
import { describe, expect, it } from 'vitest';
import { backendCalls, web3Calls } from '../../sdk/src/generated/calls.ts';
import { openTransport } from '../../sdk/src/openTransport.ts';
import { listItems } from '../../sdk/src/pages.ts';
import { isFinal, waitForEnd } from '../../sdk/src/waitFor.ts';
import type { PaymentState } from '../../server/src/core/payment.ts';
import { isFinal as isFinalThere, paymentStates } from '../../server/src/payments/state.ts';
import { hasHeader, listOperations } from '../support/prove/negatives/listOperations.ts';

const operations = listOperations().filter(({ id }) => id in backendCalls || id in web3Calls);
const ODD = 'a/b c?d=é&f"%';

describe.each(operations)('$id', (described) => {
  const { api, id, method, path, operation, body } = described;
  const call = (api === 'web3' ? web3Calls : backendCalls)[id as never] as Parameters<
    ReturnType<typeof openTransport>['call']
  >[0];
  const parameters = (place: string) => (operation.parameters ?? []).filter((one) => one.in === place);

  it('is called as its document says', async () => {
    const asked: { url: URL; init: RequestInit }[] = [];
    const transport = openTransport('https://api.example/base/', {
      fetch: async (url, init) => {
        asked.push({ url: new URL(url), init });
        const csv = new Headers(init.headers).get('accept') === 'text/csv';
        return csv ? new Response('a,b\r\n', { headers: { 'content-type': 'text/csv' } }) : Response.json({});
      },
    });
    const fill = (place: string) => Object.fromEntries(parameters(place).map(({ name }) => [name, ODD]));
    const sent = body && { name: ODD, left_out: undefined, nothing: null };
    const input = { path: fill('path'), query: { ...fill('query'), left_out: undefined }, ...(sent && { body: sent }) };
    await transport.call(call, input as never, { idempotencyKey: 'my key', waitSeconds: 1.2 });
    const { url, init } = asked[0]!;
    const headers = new Headers(init.headers);
    expect(init.method).toBe(method);
    expect(url.pathname).toBe(`/base${path.replace(/\{\w+\}/g, encodeURIComponent(ODD))}`);
    expect(Object.fromEntries(url.searchParams)).toEqual(fill('query'));
    expect(init.body === undefined ? undefined : JSON.parse(String(init.body))).toEqual(
      body && { name: ODD, nothing: null },
    );
    expect(headers.get('idempotency-key')).toBe(hasHeader(described, 'Idempotency-Key') ? 'my key' : null);
    expect(headers.get('prefer')).toBe(hasHeader(described, 'Prefer') ? 'wait=2' : null);
    expect([init.credentials, init.redirect]).toEqual(['omit', 'error']);
  });
});

describe('a list', () => {
  const read = async (pages: readonly (readonly number[])[], from?: string) => {
    const asked: (string | undefined)[] = [];
    const items: number[] = [];
    const readPage = async (cursor: string | undefined) => {
      asked.push(cursor);
      const nth = cursor === undefined ? 0 : Number(cursor);
      return { items: pages[nth]!, next: nth + 1 < pages.length ? String(nth + 1) : null };
    };
    for await (const item of listItems(readPage, from)) items.push(item);
    return { asked, items };
  };

  it.each<[pages: number[][], from: string | undefined, items: number[], asked: (string | undefined)[]]>([
    [[[]], undefined, [], [undefined]],
    [[[1, 2]], undefined, [1, 2], [undefined]],
    [[[1], [2], [3]], undefined, [1, 2, 3], [undefined, '1', '2']],
    [[[1], [], [3]], undefined, [1, 3], [undefined, '1', '2']],
    [[[1], [2], [3]], '1', [2, 3], ['1', '2']],
  ])('of pages %j is read from %s on', async (pages, from, items, asked) => {
    expect(await read(pages, from)).toEqual({ items, asked });
  });
});

describe('a payment', () => {
  it.each(Object.keys(paymentStates) as PaymentState[])('that is %s has ended when the service says so', (state) => {
    expect(isFinal(state)).toBe(isFinalThere(state));
  });

  it('is read until it has ended or the wait is over', async () => {
    const seen = ['INITIATED', 'SENT', 'COMPLETE', 'never read'];
    let reads = 0;
    const read = async () => ({ state: seen[reads++]! });
    expect(await waitForEnd(read, {})).toEqual({ state: 'COMPLETE' });
    expect(reads).toBe(3);
    const stuck = waitForEnd(async () => ({ state: 'SENT' }), { forMs: 0 });
    await expect(stuck).rejects.toMatchObject({ code: 'wait.timeout' });
  });
});
