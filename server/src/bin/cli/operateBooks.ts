/**
 * Commands of `operate` for a restored database and for corrections of the books:
 *
 *   restored WHY                    this database was restored from a backup: run it before servers start
 *   restores                        when it was noticed, why, and what is not confirmed
 *   confirm-restore keys|sessions   those from before are usable again: look through `npm run keys -- list` first
 *   book BLOCKCHAIN AMOUNT [WALLET] WHY   proposes to book a difference to `loss`: what the chain has more than the ledger
 *                                   thinks (less: a negative amount), or what the owner of a wallet gets (gives)
 *   bookings                        what waits for a second person
 *   approve-booking ID              by another person: it is booked
 *   debts                           who owes what: the chain paid for them more than they had
 *   collect PAYMENT                 takes of a debt what its owner has now
 */
import { formatUsdc, parseUsdc } from '../../core/money.ts';
import type { Db } from '../../db/database.ts';
import { findUuid } from '../../http/contract/parseUuid.ts';
import { openAsset } from '../../ledger/accounts.ts';
import {
  approveCorrection,
  type CorrectionOutcome,
  collectDebt,
  listCorrections,
  listDebts,
  proposeCorrection,
} from '../../ledger/corrections.ts';
import { type AuditActor, recordAudit } from '../../operators/recordAudit.ts';
import { CREDENTIALS, confirmRestore, listRestores, noteRestore } from '../../operators/restores.ts';

type BookCommand = (
  app: { readonly db: Db },
  chains: unknown,
  words: readonly string[],
  actor: AuditActor,
) => Promise<boolean>;

export const bookCommands = (say: (line: string) => void): Record<string, BookCommand> => ({
  async restored({ db }, _chains, words, actor) {
    await db.tx((tx) => noteRestore(tx, parseWhy(words), actor));
    say('noted: sessions and service keys from before are not usable until they are confirmed (confirm-restore)');
    return true;
  },
  async restores({ db }) {
    const restores = await listRestores(db);
    for (const { notedAt, reason, unconfirmed } of restores) {
      const open = unconfirmed.length > 0 ? `not confirmed: ${unconfirmed.join(', ')}` : 'confirmed';
      say(`${notedAt.toISOString()} ${reason}; ${open}`);
    }
    if (restores.length === 0) say('this database was never restored, as far as it knows');
    return true;
  },
  async 'confirm-restore'({ db }, _chains, [word], actor) {
    const what = CREDENTIALS.find((one) => one === word);
    if (!what) throw new Error(`say what to confirm: ${CREDENTIALS.join(' or ')}`);
    const confirmed = await db.tx((tx) => confirmRestore(tx, what, actor));
    say(confirmed > 0 ? `${what} from before are usable again` : 'there is nothing to confirm');
    return true;
  },
  async book({ db }, _chains, [blockchain = '', text = '', ...words], actor) {
    const walletId = findUuid(words[0] ?? '');
    const reason = parseWhy(walletId ? words.slice(1) : words);
    const amount = text.startsWith('-') ? -parseUsdc(text.slice(1)) : parseUsdc(text);
    const id = await db.tx(async (tx) => {
      const assetId = await openAsset(tx, blockchain);
      const proposed = await proposeCorrection(tx, { assetId, walletId, amount, reason });
      const details = { correction_id: proposed, amount: formatUsdc(amount), reason };
      if (proposed !== 'nobody') await recordAudit(tx, { actor, action: 'correction.proposed', details });
      return proposed;
    });
    if (id === 'nobody') throw new Error(OUTCOMES.nobody);
    say(`proposed as ${id}; another person books it: approve-booking ${id}`);
    return true;
  },
  async bookings({ db }) {
    const waiting = await listCorrections(db);
    for (const one of waiting) {
      const whom = one.walletId ? `for the owner of wallet ${one.walletId}` : `on ${one.blockchain}`;
      say(`${one.correctionId} ${formatUsdc(one.amount)} ${one.symbol} ${whom}, by ${one.proposedBy}: ${one.reason}`);
    }
    if (waiting.length === 0) say('nothing waits for a second person');
    return true;
  },
  async 'approve-booking'({ db }, _chains, [word = ''], actor) {
    const id = findUuid(word);
    if (!id) throw new Error('name a booking by its id, as bookings shows it');
    const outcome = await db.tx(async (tx) => {
      const booked = await approveCorrection(tx, id);
      if (booked === 'booked')
        await recordAudit(tx, { actor, action: 'correction.booked', details: { correction_id: id } });
      return booked;
    });
    if (outcome !== 'booked') throw new Error(OUTCOMES[outcome]);
    say('booked');
    return true;
  },
  async debts({ db }) {
    const debts = await listDebts(db);
    for (const { paymentId, userId, owed, available } of debts) {
      const who = userId ? `user ${userId}` : 'the treasury';
      say(`${paymentId}: ${who} owes ${formatUsdc(owed)} USDC and has ${formatUsdc(available)}`);
    }
    if (debts.length === 0) say('nobody owes anything');
    return true;
  },
  async collect({ db }, _chains, [word = ''], actor) {
    const paymentId = findUuid(word);
    const amount = await db.tx(async (tx) => {
      const taken = paymentId && (await collectDebt(tx, paymentId));
      if (taken) {
        const details = { payment_id: paymentId, amount: formatUsdc(taken) };
        await recordAudit(tx, { actor, action: 'debt.collected', details });
      }
      return taken;
    });
    if (amount === undefined) throw new Error('name a debt by its payment, as debts shows it');
    say(`${formatUsdc(amount || 0n)} USDC collected`);
    return true;
  },
});

const OUTCOMES: Readonly<Record<Exclude<CorrectionOutcome, 'booked'>, string>> = {
  unknown: 'there is no such booking, or it is booked',
  insufficient: 'the owner has less than that',
  same_person: 'you have proposed it yourself; the second person must be another one',
  nobody: 'you, or who has proposed it, are not a named operator who may approve: see npm run operators',
};

function parseWhy(words: readonly string[]): string {
  const why = words.join(' ').trim();
  if (why === '' || why.length > 500) throw new Error('say why, in at most 500 characters');
  return why;
}
