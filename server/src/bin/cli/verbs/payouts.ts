/** Verbs of `florin payment` for payouts that other services have created. */
import { nameOf } from '../../../operators/recordAudit.ts';
import { approvePayout as approve, denyPayout as deny } from '../../../payments/payouts/approvePayout.ts';
import { listPayouts } from '../../../payments/payouts/listPayouts.ts';
import { describeNotOperator, requireApprover } from '../../program/approvers.ts';
import { type Fact, verb } from '../../program/command.ts';
import { CommandFault, EXIT, unknown } from '../../program/faults.ts';
import { parseId } from '../../program/lookups.ts';
import { parseReason, WHY } from '../../program/reason.ts';
import { countOf, renderTime, renderUsdc } from '../../program/render.ts';

const WHERE = 'florin payout list';

export const approvePayout = verb({
  summary: 'Approves a payout: the second approval starts it',
  words: ['PAYOUT'],
  async plan({ db, allow }, { words: [word] }) {
    const payoutId = parseId(word, 'payout', WHERE);
    const actor = await allow('approve');
    await requireApprover(db, actor);
    const payout = (await listPayouts(db, { ids: [payoutId], limit: 1 }))[0];
    const refuse = () => new CommandFault(`payout ${payoutId} does not wait for approval: ${WHERE}`);
    if (payout?.state !== 'approving') throw refuse();
    if (payout.approvedBy.includes(nameOf(actor))) throw new CommandFault(TWICE, EXIT.forbidden);
    const given = payout.approvedBy.length;
    return {
      title: `Approve this payout, as ${nameOf(actor)}.`,
      facts: describePayout(payout),
      changes: [
        {
          what: 'effect',
          before: `waits, ${given} of 2`,
          after:
            given === 0
              ? 'waits for another operator, 1 of 2'
              : 'all rows are paid now. People get their money at once',
        },
      ],
      async carryOut() {
        const done = await approve(db, payoutId);
        if (done.outcome === 'approved')
          return done.approvals < 2
            ? 'Approved; another operator must approve it too.\n'
            : 'Approved; it is being paid.\n';
        if (done.outcome === 'twice') throw new CommandFault(TWICE, EXIT.forbidden);
        if (done.outcome === 'not_operator') throw await describeNotOperator(db, actor);
        throw refuse();
      },
    };
  },
});

const TWICE = 'you have already approved it; another operator must approve it';

export const denyPayout = verb({
  summary: 'Stops a payout: rows that have not begun are not paid',
  words: ['PAYOUT'],
  options: { why: WHY },
  async plan({ db, allow }, { words: [word], options }) {
    const payoutId = parseId(word, 'payout', WHERE);
    const reason = parseReason(options.why);
    await allow('approve');
    const payout = (await listPayouts(db, { ids: [payoutId], limit: 1 }))[0];
    if (!payout) throw unknown(`there is no payout ${payoutId}: ${WHERE}`);
    return {
      title: 'Stop this payout. Rows that have begun continue.',
      facts: [...describePayout(payout), ['why', reason]],
      changes: [{ what: 'state', before: payout.state, after: 'rows that have not begun are never paid' }],
      async carryOut() {
        const outcome = await deny(db, payoutId, reason);
        if (outcome === 'unknown') throw unknown(`there is no payout ${payoutId}`);
        if (outcome === 'ended') throw new CommandFault('it has already ended');
        return 'Stopped; rows that have not begun are not paid.\n';
      },
    };
  },
});

type Payout = Awaited<ReturnType<typeof listPayouts>>[number];

const describePayout = (one: Payout): readonly Fact[] => [
  ['payout', one.payoutId],
  ['total', `${renderUsdc(one.total)} in ${countOf(one.rows, 'row')}`],
  ['payer', one.payer ?? '-'],
  ['created by', `service key ${one.keyName}, ${renderTime(one.createdAt)}`],
  ['approved by', one.approvedBy.join(', ')],
];
