/** Verbs of `florin payment` for payouts that other services have created. */
import { approvePayout as approve, denyPayout as deny } from '../../../payments/payouts/approvePayout.ts';
import { verb } from '../../program/command.ts';
import { CommandFault, EXIT, unknown } from '../../program/faults.ts';
import { parseId } from '../../program/lookups.ts';
import { parseReason, WHY } from '../../program/reason.ts';

const WHERE = 'florin payout list';

export const approvePayout = verb({
  summary: 'Approves a payout: the second approval starts it',
  words: ['PAYOUT'],
  async run({ db, allow }, { words: [word] }) {
    const payoutId = parseId(word, 'payout', WHERE);
    await allow('approve');
    const done = await approve(db, payoutId);
    if (done.outcome === 'approved')
      return done.approvals < 2 ? 'Approved; another operator must approve it too.\n' : 'Approved; it is being paid.\n';
    if (done.outcome === 'twice')
      throw new CommandFault('you have already approved it; another operator must approve it', EXIT.forbidden);
    if (done.outcome === 'not_operator')
      throw new CommandFault('you are not a named operator who may approve: florin operator list', EXIT.forbidden);
    throw new CommandFault(`payout ${payoutId} does not wait for approval: ${WHERE}`);
  },
});

export const denyPayout = verb({
  summary: 'Stops a payout: rows that have not begun are not paid',
  words: ['PAYOUT'],
  options: { why: WHY },
  async run({ db, allow }, { words: [word], options }) {
    const payoutId = parseId(word, 'payout', WHERE);
    const reason = parseReason(options.why);
    await allow('approve');
    const outcome = await deny(db, payoutId, reason);
    if (outcome === 'unknown') throw unknown(`there is no payout ${payoutId}`);
    if (outcome === 'ended') throw new CommandFault('it has already ended');
    return 'Stopped; rows that have not begun are not paid.\n';
  },
});
