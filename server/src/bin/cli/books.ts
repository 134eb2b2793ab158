import { PayError } from '../../core/errors.ts';
import { formatUsdc, parseUsdc } from '../../core/money.ts';
import { type AuditProgress, auditWhole } from '../../custody/books/auditWhole.ts';
import { listSurpluses } from '../../custody/coins/listSurpluses.ts';
import { listUnexplained } from '../../custody/watch/unexplainedMoves.ts';
import { CURRENCY } from '../../http/currency.ts';
import { openAsset } from '../../ledger/accounts.ts';
import {
  approveCorrection,
  type CorrectionOutcome,
  collectDebt,
  listCorrections,
  listDebts,
  proposeCorrection,
} from '../../ledger/corrections.ts';
import { recordAudit } from '../../operators/recordAudit.ts';
import { type Noun, verb } from '../program/command.ts';
import { CommandFault, EXIT, misused, unknown } from '../program/faults.ts';
import { parseId } from '../program/lookups.ts';
import { printAside } from '../program/printable.ts';
import { parseReason, WHY } from '../program/reason.ts';
import { renderFields, renderTime, renderUsdc, wrapLines } from '../program/render.ts';
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

const correct = verb({
  summary: 'Proposes to book a difference to `loss`; another person must approve it',
  about: `--more: the chain has more than the ledger says. With --wallet its owner gets the difference, from the wallet's surplus
coins if there are enough, otherwise from loss. --less: the chain has less. With --wallet its owner loses the difference.
The owner's history shows --why.`,
  words: ['BLOCKCHAIN'],
  options: {
    more: { type: 'string', value: 'USDC', summary: 'the difference' },
    less: { type: 'string', value: 'USDC', summary: 'the difference' },
    wallet: { type: 'string', value: 'ID', summary: 'whose owner gets or loses it; default: correct only the ledger' },
    why: WHY,
  },
  examples: ['books correct ETH-SEPOLIA --less 1.5 --why "lost in the restore of 3 May"'],
  async run({ db, allow }, { words: [blockchain = ''], options }) {
    const { more, less } = options;
    if ((more === undefined) === (less === undefined)) throw misused('give either --more or --less');
    const amount = more === undefined ? -parseAmount(less!) : parseAmount(more);
    const walletId = options.wallet === undefined ? undefined : parseId(options.wallet, 'wallet', 'florin wallet show');
    const reason = parseReason(options.why);
    const actor = await allow('approve');
    const id = await db.tx(async (tx) => {
      const assetId = await openAsset(tx, blockchain, CURRENCY.symbol);
      const proposed = await proposeCorrection(tx, { assetId, walletId, amount, reason });
      const details = { correction_id: proposed, amount: formatUsdc(amount), reason };
      if (proposed !== 'not_operator') await recordAudit(tx, { actor, action: 'correction.proposed', details });
      return proposed;
    });
    if (id === 'not_operator') throw new CommandFault(OUTCOMES.not_operator, EXIT.forbidden);
    return `Proposed as ${id}.\nAnother person books it: florin books approve ${id}\n`;
  },
});

const approve = verb({
  summary: 'Books a correction that another person has proposed',
  words: ['CORRECTION'],
  async run({ db, allow }, { words: [word] }) {
    const id = parseId(word, 'correction', 'florin books check');
    const actor = await allow('approve');
    const outcome = await db.tx(async (tx) => {
      const booked = await approveCorrection(tx, id);
      if (booked === 'booked')
        await recordAudit(tx, { actor, action: 'correction.booked', details: { correction_id: id } });
      return booked;
    });
    if (outcome === 'unknown') throw unknown(OUTCOMES.unknown);
    if (outcome !== 'booked') throw new CommandFault(OUTCOMES[outcome]);
    return 'Booked.\n';
  },
});

const collect = verb({
  summary: 'Collects as much of a debt as its owner has now',
  words: ['PAYMENT'],
  async run({ db, allow }, { words: [word] }) {
    const paymentId = parseId(word, 'payment with a debt', 'florin books check');
    const actor = await allow('custody');
    const amount = await db.tx(async (tx) => {
      const taken = await collectDebt(tx, paymentId);
      if (taken) {
        const details = { payment_id: paymentId, amount: formatUsdc(taken) };
        await recordAudit(tx, { actor, action: 'debt.collected', details });
      }
      return taken;
    });
    if (amount === undefined) throw unknown(`${paymentId} has no debt: florin books check`);
    return `${renderUsdc(amount)} collected.\n`;
  },
});

export default {
  about:
    'Open items of the books, and how to resolve them. Every change needs a reason and is recorded in the audit log.',
  verbs: { check, audit, correct, approve, collect },
} satisfies Noun;

const OUTCOMES: Readonly<Record<Exclude<CorrectionOutcome, 'booked'>, string>> = {
  unknown: 'there is no such correction, or it is already booked',
  insufficient: 'the owner has less than that',
  same_person: 'you proposed it yourself; another person must approve it',
  not_operator: 'you or the proposer are not a named operator who may approve: florin operator list',
};

function section<One>(
  title: string,
  all: readonly One[],
  render: (one: One) => readonly (readonly [string, string])[],
): string {
  if (all.length === 0) return '';
  return `${title}\n\n${all.map((one) => renderFields(render(one))).join('\n')}`;
}

function parseAmount(text: string): bigint {
  try {
    const amount = parseUsdc(text);
    if (amount > 0n) return amount;
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
  }
  throw misused(`"${text}" is not an amount of USDC above 0`);
}
