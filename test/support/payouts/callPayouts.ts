import { expect } from 'vitest';
import { eventually } from '../eventually.ts';
import { type Answer, bearer, readAnswer } from '../http/answer.ts';
import { fetchChecked } from '../http/fetchChecked.ts';
import type { PayoutKey } from './makeKey.ts';

/**
 * The payout operations, as a service calls them. `usual` is called each time, because tests know it only when they
 * run.
 */
export function callPayouts(usual: () => { readonly url: string; readonly key: PayoutKey }) {
  const ask = async (path: string, init: RequestInit = {}, { key } = usual().key): Promise<Answer> =>
    readAnswer(
      await fetchChecked(`${usual().url}/api/v1/payouts${path}`, {
        ...init,
        headers: { ...bearer(key), ...init.headers },
      }),
    );
  const post = (path: string, body: unknown, key?: PayoutKey) =>
    ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }, key);
  const check = (csv: string, query = '', key?: PayoutKey) =>
    ask(query, { method: 'POST', headers: { 'content-type': 'text/csv' }, body: csv }, key);
  const confirm = ({ payout_id: id, count, total }: Answer['body'], key?: PayoutKey) =>
    post(`/${id}/confirm`, { count, total }, key);
  const untilState = (id: string, state: string, key?: PayoutKey) =>
    eventually(async () => {
      const { body } = await ask(`/${id}`, {}, key);
      expect(body.state).toBe(state);
      return body;
    });
  /** Checks and confirms it, and waits for its end. */
  async function pay(csv: string, query = '', key?: PayoutKey): Promise<Answer['body']> {
    const { body } = await check(csv, query, key);
    const started = await confirm(body, key);
    expect([started.status, body.state]).toEqual([200, 'checked']);
    return untilState(body.payout_id, 'complete', key);
  }
  return { ask, post, check, confirm, untilState, pay };
}
