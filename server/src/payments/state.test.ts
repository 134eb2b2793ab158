import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/support/database/useTestDatabase.ts';
import type { PaymentState } from '../core/payment.ts';
import { isFinal, paymentStates } from './state.ts';

const states = Object.keys(paymentStates) as PaymentState[];
const { db } = useTestDatabase();

describe('the states of a payment', () => {
  it('follow each other in PostgreSQL as they do here', async () => {
    const rows = await db.query<{ before: string; after: string }>(
      `SELECT b.state AS before, a.state AS after FROM unnest($1::text[]) AS b(state), unnest($1::text[]) AS a(state)
        WHERE payment_may_become(b.state, a.state)`,
      [states],
    );
    const inSql = rows.map(({ before, after }) => `${before} -> ${after}`).sort();
    const here = states.flatMap((before) => paymentStates[before].next.map((after) => `${before} -> ${after}`)).sort();
    expect(inSql).toEqual(here);
  });

  it('are those that the documents and the table of payments allow', async () => {
    for (const name of ['web3', 'backend']) {
      const document = readFileSync(new URL(`../../../openapi/${name}.json`, import.meta.url), 'utf8');
      const enums = [...document.matchAll(/"enum": \[\s*("INITIATED"[^\]]*)\]/g)].map(([, list]) =>
        JSON.parse(`[${list}]`),
      );
      expect(enums.length, name).toBeGreaterThan(0);
      for (const one of enums) expect([...one].sort(), name).toEqual([...states].sort());
    }
    const [check] = await db.query<{ rule: string }>(
      `SELECT pg_get_constraintdef(oid) AS rule FROM pg_constraint WHERE conname = 'payments_state_check'`,
    );
    expect([...check!.rule.matchAll(/'(\w+)'/g)].map(([, state]) => state).sort()).toEqual([...states].sort());
  });

  it('end where PostgreSQL says they end', async () => {
    const rows = await db.query<{ state: PaymentState }>(
      'SELECT state FROM unnest($1::text[]) AS s(state) WHERE payment_is_final(state)',
      [states],
    );
    expect(rows.map(({ state }) => state)).toEqual(states.filter(isFinal));
  });

  it('never go back: no walk through the table meets a state twice', () => {
    fc.assert(
      fc.property(fc.constantFrom(...states), fc.infiniteStream(fc.nat()), (first, choices) => {
        const seen = new Set<PaymentState>();
        let state = first;
        for (const choice of choices) {
          if (seen.has(state)) return false;
          seen.add(state);
          const { next } = paymentStates[state];
          if (next.length === 0) return true;
          state = next[choice % next.length]!;
        }
        return true;
      }),
    );
  });

  it('are stages that only rise', async () => {
    const rows = await db.query<{ state: PaymentState; stage: number }>(
      'SELECT state, payment_stage(state) AS stage FROM unnest($1::text[]) AS s(state)',
      [states],
    );
    const stage = new Map(rows.map((row) => [row.state, row.stage]));
    const falling = states.flatMap((state) =>
      paymentStates[state].next.filter((n) => stage.get(n)! <= stage.get(state)!),
    );
    expect(falling).toEqual([]);
  });
});
