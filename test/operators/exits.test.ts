/** docs/operating/exits.md names every state, existing alerts and existing commands. No state is without an exit. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { NOUNS } from '../../server/src/bin/cli/nouns.ts';
import { hasVerbs } from '../../server/src/bin/program/command.ts';
import { isFinal, paymentStates } from '../../server/src/payments/state.ts';
import { readAlerts } from '../support/http/alerts.ts';
import { readExits } from '../support/properties/readExits.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const schema = read('sql/schema.sql');

/** What a check constraint of the schema allows. */
function allowedBy(constraint: string): string[] {
  const [, list] = new RegExp(`CONSTRAINT ${constraint} CHECK .*?ARRAY\\[(.*?)\\]`).exec(schema)!;
  return [...list!.matchAll(/'(\w+)'::text/g)].map(([, state]) => state!);
}

/** States that are rows of another table or columns: the schema must still have them. */
function stateOf(state: string, place: RegExp): string {
  expect(schema).toMatch(place);
  return state;
}

interface Thing {
  readonly states: readonly string[];
  readonly ends: readonly string[];
}

const THINGS: Readonly<Record<string, Thing>> = {
  Payment: {
    states: allowedBy('payments_state_check'),
    ends: Object.keys(paymentStates).filter((state) => isFinal(state as keyof typeof paymentStates)),
  },
  Payout: { states: allowedBy('payouts_state_check'), ends: allowedBy('payouts_ended') },
  'Payout row': { states: allowedBy('payout_items_state_check'), ends: ['paid', 'failed', 'cancelled'] },
  'Coin move': { states: allowedBy('coin_moves_state_check'), ends: ['done', 'dead'] },
  'Provider transfer': {
    states: [...allowedBy('provider_transfers_provider_state_check'), stateOf('held', /provider_transfers_held/)],
    ends: ['done', ...allowedBy('provider_transfers_check')],
  },
  Arrival: {
    states: [...allowedBy('arrivals_verdict_check'), stateOf('open', /^CREATE TABLE public\.open_arrivals \(/m)],
    ends: ['credited', 'own', 'other', 'left'],
  },
  Deposit: {
    states: [
      ...allowedBy('deposits_state_check'),
      stateOf('pending', /^CREATE TABLE public\.pending_deposits \(/m),
      stateOf('held', /^CREATE TABLE public\.held_logs \(/m),
    ],
    ends: ['credited', 'lost'],
  },
  'Held log': { states: [stateOf('held', /^CREATE TABLE public\.held_logs \(/m)], ends: [] },
  'Unexplained move': {
    states: [
      stateOf('open', /unexplained_moves_open/),
      stateOf('vanished', /unexplained_moves_vanished/),
      stateOf('imported', /^ {4}imported_as uuid,$/m),
    ],
    ends: ['imported'],
  },
  'Money request': {
    states: allowedBy('money_requests_state_check'),
    ends: allowedBy('money_requests_state_check').filter((state) => state !== 'open'),
  },
  'Refund by the treasury': {
    states: [
      stateOf('proposed', /refunds_open/),
      ...['booked', 'denied'].map((end) => stateOf(end, /refunds_booked_or_denied/)),
    ],
    ends: ['booked', 'denied'],
  },
};

const exits = readExits();

it('has one row for every state, and no other', () => {
  const rows = exits.map(({ thing, state }) => `${thing} ${state}`);
  const states = Object.entries(THINGS).flatMap(([thing, one]) => one.states.map((state) => `${thing} ${state}`));
  expect(rows.toSorted()).toEqual(states.toSorted());
});

it('marks every final state as final, and no other', () => {
  const wrong = exits.filter(
    ({ thing, state, movesOn }) => (movesOn === 'end') !== THINGS[thing]!.ends.includes(state),
  );
  expect(wrong).toEqual([]);
});

it('names existing alerts and commands, and both wherever money waits', async () => {
  const alerts = new Set(readAlerts().map(({ name }) => name));
  const verbs = new Set<string>();
  for (const [noun, entry] of Object.values(NOUNS).flatMap((group) => Object.entries(group))) {
    const { default: found } = await entry.load();
    if (hasVerbs(found)) for (const verb of Object.keys(found.verbs)) verbs.add(`florin ${noun} ${verb}`);
  }
  for (const { thing, state, movesOn, alert, commands } of exits) {
    expect(
      commands.filter((one) => !verbs.has(one)),
      `${thing} ${state}`,
    ).toEqual([]);
    if (movesOn === 'end' || alert === 'no money waits') continue;
    const named = alert.split(', ');
    expect(
      named.filter((name) => !alerts.has(name)),
      `${thing} ${state}`,
    ).toEqual([]);
    expect(commands, `${thing} ${state}`).not.toEqual([]);
  }
});
