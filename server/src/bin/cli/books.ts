import { formatUsdc } from '../../core/money.ts';
import { type AuditProgress, auditWhole } from '../../custody/books/auditWhole.ts';
import { listSurpluses } from '../../custody/coins/listSurpluses.ts';
import { listUnexplained } from '../../custody/watch/unexplainedMoves.ts';
import { collectDebt, listCorrections, listDebts } from '../../ledger/corrections.ts';
import { recordAudit } from '../../operators/recordAudit.ts';
import { type Noun, verb } from '../program/command.ts';
import { unknown } from '../program/faults.ts';
import { describePerson, parseId } from '../program/lookups.ts';
import { printAside } from '../program/printable.ts';
import { renderFields, renderTime, renderUsdc, wrapLines } from '../program/render.ts';
import { approve, correct } from './verbs/corrections.ts';
import { describeDoubt } from './verbs/importMoves.ts';

const check = verb({
  summary: 'Shows open items of the books: unexplained moves, debts, pending corrections',
  about: `Exit code 1 while anything is open. Surplus coins are shown but do not count as open. florin reconcile compares with
the chains.`,
  reads: true,
  async run({ db }) {
    const moves = await listUnexplained(db);
    const debts = await listDebts(db);
    const corrections = await listCorrections(db);
    const surpluses = await listSurpluses(db);
    const isBad = moves.length + debts.length + corrections.length > 0;
    const sections = [
      section('Coins that left our wallets without a known payment: florin payment import', moves, (one) => [
        ['move', `${one.txHash} ${one.logIndex}`],
        ['amount', renderUsdc(one.amount)],
        ['from wallet', one.walletId],
        ['to', one.toAddress],
        ['note', describeDoubt(one)],
      ]),
      section('Debts: the chain paid more than the owner had: florin books collect PAYMENT', debts, (one) => [
        ['payment', one.paymentId],
        ['who', one.userId ? `user ${one.userId}` : 'the treasury'],
        ['owes', renderUsdc(one.owed)],
        ['has', renderUsdc(one.available)],
      ]),
      section('Corrections that wait for a second person: florin books approve CORRECTION', corrections, (one) => [
        ['correction', one.correctionId],
        ['amount', `${formatUsdc(one.amount)} ${one.symbol}`],
        ['of', one.walletId ? `the owner of wallet ${one.walletId}` : `what the ledger has on ${one.blockchain}`],
        ['by', one.proposedBy],
        ['why', one.reason],
      ]),
    ];
    const surplus = section(
      'Surplus coins: more than were counted; they pause nothing (docs/operating/corrections.md)',
      surpluses,
      (one) => [
        ['wallet', one.walletId ?? 'counted, but owed to no one'],
        ['amount', `${formatUsdc(one.amount)} ${one.symbol} on ${one.blockchain}`],
        ['since', renderTime(one.since)],
      ],
    );
    return {
      text: isBad
        ? [...sections, surplus].filter(Boolean).join('\n')
        : ['Every move is accounted for. There are no debts and no pending corrections.\n', surplus]
            .filter(Boolean)
            .join('\n'),
      isBad,
      json: {
        unexplained: moves.map((one) => ({
          tx_hash: one.txHash,
          log_index: one.logIndex,
          amount: formatUsdc(one.amount),
          wallet_id: one.walletId,
          to_address: one.toAddress,
        })),
        debts: debts.map((one) => ({
          payment_id: one.paymentId,
          user_id: one.userId,
          owed: formatUsdc(one.owed),
          available: formatUsdc(one.available),
        })),
        corrections: corrections.map((one) => ({
          correction_id: one.correctionId,
          blockchain: one.blockchain,
          wallet_id: one.walletId,
          amount: formatUsdc(one.amount),
          reason: one.reason,
          proposed_by: one.proposedBy,
        })),
        surpluses: surpluses.map((one) => ({
          blockchain: one.blockchain,
          wallet_id: one.walletId,
          amount: formatUsdc(one.amount),
          since: one.since,
        })),
      },
    };
  },
});

/** The shortest time between two progress lines. */
const SAY_EVERY_SECONDS = 2;

const audit = verb({
  summary: 'Recomputes the whole ledger: every balance, movement, hold and id',
  about: `Exit code 1 if anything is wrong. It compares the balances at its start with all movements up to then, so new payments do
not affect it. Progress goes to stderr. The worker does the same continuously, at a slower pace.`,
  reads: true,
  async run({ db }) {
    let saidAt = 0;
    const { rows, seconds, faults } = await auditWhole(db, (now) => {
      if (now.seconds - saidAt < SAY_EVERY_SECONDS) return;
      saidAt = now.seconds;
      printAside(`${describeProgress(now)}\n`);
    });
    const read = `${rows} movements in ${seconds.toFixed(1)} s`;
    const list = faults.map(({ assetId, subject, fault }) => `asset ${assetId}, ${subject}: ${fault}\n`);
    return {
      text:
        faults.length === 0
          ? `The ledger is correct: ${read}.\n`
          : wrapLines(`THE LEDGER IS WRONG in ${faults.length} places: ${read}.\n${list.join('')}`),
      isBad: faults.length > 0,
      json: {
        movements: rows,
        seconds,
        faults: faults.map(({ assetId, subject, fault }) => ({ asset_id: assetId, subject, fault })),
      },
    };
  },
});

function describeProgress({ rows, about, seconds, isNaming }: AuditProgress): string {
  const rate = rows / seconds;
  const left = about > rows ? `, about ${Math.ceil((about - rows) / rate)} s left` : '';
  const what = isNaming ? 'locating the faults: ' : '';
  return `${what}${rows} of about ${Math.round(about)} movements, ${Math.round(rate)} per second${left}`;
}

const collect = verb({
  summary: 'Collects as much of a debt as its owner has now',
  words: ['PAYMENT'],
  async plan({ db, allow }, { words: [word] }) {
    const paymentId = parseId(word, 'payment with a debt', 'florin books check');
    const actor = await allow('custody');
    const refuse = () => unknown(`${paymentId} has no open debt: florin books check`);
    const debt = (await listDebts(db)).find((one) => one.paymentId === paymentId);
    if (!debt) throw refuse();
    const { userId, owed, available } = debt;
    const taken = available < owed ? available : owed;
    return {
      title: 'Collect this debt, as far as its owner has money now.',
      facts: [['owner', userId ? await describePerson(db, userId) : 'the service (treasury)']],
      changes: [
        { what: 'debt', before: renderUsdc(owed), after: renderUsdc(owed - taken) },
        { what: 'their balance', before: renderUsdc(available), after: renderUsdc(available - taken) },
      ],
      async carryOut() {
        const amount = await db.tx(async (tx) => {
          const collected = await collectDebt(tx, paymentId);
          if (collected) {
            const details = { payment_id: paymentId, amount: formatUsdc(collected) };
            await recordAudit(tx, { actor, action: 'debt.collected', details });
          }
          return collected;
        });
        if (amount === undefined) throw refuse();
        return `${renderUsdc(amount)} collected.\n`;
      },
    };
  },
});

export default {
  about:
    'Open items of the books, and how to resolve them. Every change needs a reason and is recorded in the audit log.',
  verbs: { check, audit, correct, approve, collect },
} satisfies Noun;

function section<One>(
  title: string,
  all: readonly One[],
  render: (one: One) => readonly (readonly [string, string])[],
): string {
  if (all.length === 0) return '';
  return `${title}\n\n${all.map((one) => renderFields(render(one))).join('\n')}`;
}
