/** Decisions of the database, one condition at a time: see test/support/guards/clauses. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../support/database/openTestDatabase.ts';
import { custodyDecisions } from '../support/guards/clauses/custody/custody.ts';
import { deadMoveDecisions } from '../support/guards/clauses/custody/deadMoves.ts';
import { fundingDecisions } from '../support/guards/clauses/custody/funding.ts';
import { moveGuardDecisions } from '../support/guards/clauses/custody/guardMoves.ts';
import { relayDecisions } from '../support/guards/clauses/custody/relaying.ts';
import { signingDecisions } from '../support/guards/clauses/custody/signing.ts';
import { closingDecisions } from '../support/guards/clauses/customers/closing.ts';
import { keyDecisions } from '../support/guards/clauses/customers/keys.ts';
import { operatorDecisions } from '../support/guards/clauses/customers/operators.ts';
import { peopleDecisions } from '../support/guards/clauses/customers/people.ts';
import { decide } from '../support/guards/clauses/decide.ts';
import { decideMeanwhile } from '../support/guards/clauses/decideMeanwhile.ts';
import { acceptingDecisions } from '../support/guards/clauses/payments/accepting.ts';
import { approvalDecisions } from '../support/guards/clauses/payments/approvals.ts';
import { askingDecisions } from '../support/guards/clauses/payments/asking.ts';
import { cancelDecisions } from '../support/guards/clauses/payments/cancelAfterRestore.ts';
import { paymentGuardDecisions } from '../support/guards/clauses/payments/guardPayments.ts';
import { limitDecisions } from '../support/guards/clauses/payments/limits.ts';
import { movementDecisions } from '../support/guards/clauses/payments/movements.ts';
import { payingDecisions } from '../support/guards/clauses/payments/paying.ts';
import { payoutStepDecisions } from '../support/guards/clauses/payments/payoutSteps.ts';
import { payoutDecisions } from '../support/guards/clauses/payments/payouts.ts';
import { refundDecisions } from '../support/guards/clauses/payments/refunds.ts';
import { requestDecisions } from '../support/guards/clauses/payments/requests.ts';
import { sendCallDecisions } from '../support/guards/clauses/payments/sendCalls.ts';
import { sendStepDecisions } from '../support/guards/clauses/payments/sendSteps.ts';
import { spendingDecisions } from '../support/guards/clauses/payments/spending.ts';
import { verdictDecisions } from '../support/guards/clauses/payments/verdicts.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.remove());

const decisions = [
  ...closingDecisions,
  ...custodyDecisions,
  ...askingDecisions,
  ...spendingDecisions,
  ...approvalDecisions,
  ...peopleDecisions,
  ...keyDecisions,
  ...payoutDecisions,
  ...movementDecisions,
  ...requestDecisions,
  ...refundDecisions,
  ...operatorDecisions,
  ...acceptingDecisions,
  ...sendStepDecisions,
  ...sendCallDecisions,
  ...payoutStepDecisions,
  ...fundingDecisions,
  ...relayDecisions,
  ...signingDecisions,
  ...deadMoveDecisions,
  ...moveGuardDecisions,
  ...limitDecisions,
  ...verdictDecisions,
  ...cancelDecisions,
  ...payingDecisions,
  ...paymentGuardDecisions,
];

function judge(said: string, expected: string | RegExp): void {
  if (expected instanceof RegExp) expect(said).toMatch(expected);
  else expect(said).toBe(expected);
}

describe.each(decisions)('$of', (decision) => {
  it.each(Object.entries(decision.cases))('%s', async (_, [changes, expected]) => {
    const said = await decide(database.admin, decision, changes);
    judge(said, expected);
  });
});

describe.each(decisions.filter(({ waitsFor = [] }) => waitsFor.length > 0))('$of', (decision) => {
  it.each(decision.waitsFor!)('%s, while that is being written', async (name) => {
    const [changes, expected] = decision.cases[name]!;
    const { hasWaited, said } = await decideMeanwhile(database.admin, decision, changes);
    judge(said, expected);
    expect(hasWaited).toBe(true);
  });
});
