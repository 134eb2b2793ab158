import { expect, it } from 'vitest';
import { type Line, listOperations } from './history.ts';
import { type Evidence, judge, type Made } from './judge.ts';

const call = { atMs: 0, server: 'server 1' };
const LINES: readonly Line[] = [
  { ...call, type: 'invoke', op: 1, work: 'pay', from: 'ann', to: 'ben', amount: 1 },
  { ...call, type: 'unknown', op: 1, code: '502 connection lost' },
  { ...call, type: 'invoke', op: 1, work: 'pay', from: 'ann', to: 'ben', amount: 1 },
  { ...call, type: 'ok', op: 1, id: 'p1' },
  { ...call, type: 'invoke', op: 2, work: 'send', from: 'ben', to: '0xd', amount: 2 },
  { ...call, type: 'ok', op: 2, id: 's2' },
  { ...call, type: 'invoke', op: 3, work: 'ask', from: 'ann', to: 'ben', amount: 3 },
  { ...call, type: 'ok', op: 3, id: 'r3' },
  { ...call, type: 'invoke', op: 4, work: 'pay request', from: 'ben', to: 'ann', amount: 3 },
  { ...call, type: 'ok', op: 4, id: 'r3' },
  { ...call, type: 'invoke', op: 5, work: 'pay', from: 'ann', to: 'ben', amount: 5 },
  { ...call, type: 'unknown', op: 5, code: '504 no answer' },
  { ...call, type: 'invoke', op: 6, work: 'pay', from: 'ann', to: 'ben', amount: 1_006 },
  { ...call, type: 'fail', op: 6, code: '409 balance.insufficient' },
];
const [PAID, SENT, ASKED]: readonly Made[] = [
  { id: 'p1', from: 'ann', to: 'ben', amount: 1, state: 'COMPLETE' },
  { id: 's2', from: 'ben', to: '0xd', amount: 2, state: 'COMPLETE' },
  { id: 'r3', from: 'ben', to: 'ann', amount: 3, state: 'COMPLETE' },
] as const;
/** The payment that has no answer was not made. */
const RIGHT: Evidence = {
  operations: [...listOperations(LINES).values()],
  made: [PAID!, SENT!, ASKED!],
  requests: [{ amount: 3, state: 'paid' }],
  entries: [
    { username: 'ann', amount: 100 },
    { username: 'ben', amount: 100 },
    { username: 'ann', amount: -1 },
    { username: 'ben', amount: 1 },
    { username: 'ben', amount: -2 },
    { username: 'ben', amount: -3 },
    { username: 'ann', amount: 3 },
  ],
  people: [
    { username: 'ann', deposit: 100, available: 102, held: 0, shown: 102, history: [PAID!, ASKED!] },
    { username: 'ben', deposit: 100, available: 96, held: 0, shown: 96, history: [PAID!, SENT!, ASKED!] },
  ],
  chain: { transfers: new Map([['0xd', [2]]]), custody: 198 },
};
const [ann, ben] = RIGHT.people as [Evidence['people'][number], Evidence['people'][number]];
const kindsOf = (evidence: Evidence) =>
  Object.entries(judge(evidence)).flatMap(([kind, faults]) => (faults.length > 0 ? [kind] : []));

it('finds nothing in a run without faults', () => {
  expect(kindsOf(RIGHT)).toEqual([]);
});

it('accepts a payment without an answer that was made once', () => {
  const late = { id: 'p5', from: 'ann', to: 'ben', amount: 5, state: 'COMPLETE' };
  const evidence = {
    ...RIGHT,
    made: [...RIGHT.made, late],
    entries: [...RIGHT.entries, { username: 'ann', amount: -5 }, { username: 'ben', amount: 5 }],
    people: [
      { ...ann, available: 97, shown: 97, history: [...ann.history, late] },
      { ...ben, available: 101, shown: 101, history: [...ben.history, late] },
    ],
  };
  expect(kindsOf(evidence)).toEqual([]);
  expect(judge({ ...evidence, made: [...evidence.made, late] }).doubled).toHaveLength(1);
});

const withState = (state: string): Partial<Evidence> => ({
  made: [PAID!, { ...SENT!, state }, ASKED!],
  people: [ann, { ...ben, history: [PAID!, { ...SENT!, state }, ASKED!] }],
});

it.each<[string, string, Partial<Evidence>]>([
  ['an acknowledged payment that does not exist', 'lost', { made: [SENT!, ASKED!] }],
  ['an acknowledged payment under another id', 'lost', { made: [{ ...PAID!, id: 'other' }, SENT!, ASKED!] }],
  ['a payment missing in a history', 'lost', { people: [{ ...ann, history: [ASKED!] }, ben] }],
  ['a complete send without a transfer', 'lost', { chain: { transfers: new Map(), custody: 198 } }],
  ['an acknowledged request that does not exist', 'lost', { requests: [] }],
  ['a payment made twice', 'doubled', { made: [PAID!, { ...PAID!, id: 'p7' }, SENT!, ASKED!] }],
  ['a payment twice in a history', 'doubled', { people: [{ ...ann, history: [PAID!, PAID!, ASKED!] }, ben] }],
  ['a send with two transfers', 'doubled', { chain: { transfers: new Map([['0xd', [2, 2]]]), custody: 196 } }],
  ['a request made twice', 'doubled', { requests: [...RIGHT.requests, ...RIGHT.requests] }],
  ['a balance below zero', 'negative', { people: [{ ...ann, available: -1 }, ben] }],
  ['a balance below zero in between', 'negative', { entries: [{ username: 'ann', amount: -1 }, ...RIGHT.entries] }],
  ['a send that has not ended', 'stuck', { ...withState('SENT'), chain: { transfers: new Map(), custody: 198 } }],
  ['a paid request that is open', 'stuck', { requests: [{ amount: 3, state: 'open' }] }],
  ['a failed send', 'wrong', withState('FAILED')],
  ['a payment that no client requested', 'wrong', { made: [...RIGHT.made, { ...PAID!, id: 'p9', amount: 9 }] }],
  ['a refused payment that was made', 'wrong', { made: [...RIGHT.made, { ...PAID!, id: 'p6', amount: 1_006 }] }],
  ['another receiver', 'wrong', { made: [{ ...PAID!, to: 'eve' }, SENT!, ASKED!] }],
  ['another amount in a history', 'wrong', { people: [{ ...ann, history: [{ ...PAID!, amount: 2 }, ASKED!] }, ben] }],
  ['another balance in the API', 'wrong', { people: [{ ...ann, shown: 101 }, ben] }],
  ['another balance in SQL', 'wrong', { people: [{ ...ann, available: 103 }, ben] }],
  ['coins that are missing', 'wrong', { chain: { ...RIGHT.chain, custody: 197 } }],
  [
    'coins at an address that no client named',
    'wrong',
    { chain: { transfers: new Map([['0xe', [1]]]), custody: 198 } },
  ],
])('finds %s', (_, kind, changed) => {
  expect(kindsOf({ ...RIGHT, ...changed })).toContain(kind);
});

it('finds a payment that was acknowledged under two ids', () => {
  const lines: Line[] = [...LINES, { ...call, type: 'ok', op: 1, id: 'p8' }];
  expect(judge({ ...RIGHT, operations: [...listOperations(lines).values()] }).doubled).toHaveLength(1);
});

it('finds an unexpected refusal', () => {
  const lines: Line[] = [...LINES, { ...call, type: 'fail', op: 5, code: '422 idempotency.mismatch' }];
  expect(judge({ ...RIGHT, operations: [...listOperations(lines).values()] }).wrong).toHaveLength(1);
});
