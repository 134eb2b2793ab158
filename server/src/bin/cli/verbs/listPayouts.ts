/** Verbs of `florin payout` that read payouts which services have created. */
import { formatUsdc } from '../../../core/money.ts';
import { listServiceKeys } from '../../../customers/keys/serviceKeys.ts';
import { findUuid } from '../../../http/contract/parseUuid.ts';
import { renderItem, renderPayout } from '../../../http/payouts/renderPayout.ts';
import { findRowsByPayment, findRowsByReference } from '../../../payments/payouts/findRows.ts';
import { listPayouts } from '../../../payments/payouts/listPayouts.ts';
import { describeFault, findPayouts, ITEM_STATES, PAYOUT_STATES } from '../../../payments/payouts/payout.ts';
import { type PayoutItem, readItems } from '../../../payments/payouts/readItems.ts';
import { type Answer, verb } from '../../program/command.ts';
import { misused } from '../../program/faults.ts';
import {
  AMOUNT,
  BLOCKCHAIN,
  cutPage,
  describeNext,
  PAGE,
  parseChoice,
  parseConditions,
  parseLimit,
  SPAN,
} from '../../program/listing.ts';
import { parseId } from '../../program/lookups.ts';
import { readReference, refuseReference } from '../../program/references.ts';
import { countOf, renderFields, renderTable, renderTime, renderUsdc, shorten, wrap } from '../../program/render.ts';

export const list = verb({
  summary: 'Lists payouts, newest first: by payer, total, day, state, blockchain',
  about: `Conditions can be combined. The state approving means: waits for two operators (florin payment approve-payout). The state open
means every state that is not an end. --reference finds the payouts that have a row with this reference.`,
  options: {
    user: { type: 'string', value: 'USER', summary: 'paid by this person' },
    amount: { ...AMOUNT, summary: 'with this total, or a range: 1250 or 1000-2000' },
    ...SPAN,
    state: { type: 'string', value: 'STATE', summary: `${PAYOUT_STATES.join(', ')} or open` },
    blockchain: BLOCKCHAIN,
    reference: { type: 'string', value: 'TEXT', summary: 'with a row that has this reference' },
    ...PAGE,
  },
  reads: true,
  examples: ['payout list --state approving', 'payout list --reference salary-2027-01-ada'],
  async run({ db }, { options }): Promise<Answer> {
    const state = parseChoice('--state', options.state, [...PAYOUT_STATES, 'open'] as const);
    const { limit, after, userId: payerId, ...conditions } = await parseConditions(db, options);
    const { reference } = options;
    const rows = reference === undefined ? undefined : await findRowsByReference(db, reference);
    const found = await listPayouts(db, {
      ...conditions,
      state,
      payerId,
      ids: rows?.map(({ payoutId }) => payoutId),
      after: after === undefined ? undefined : parseId(after, 'payout', 'florin payout list'),
      limit: limit + 1,
    });
    const { rows: payouts, next } = cutPage(found, limit, ({ payoutId }) => payoutId);
    const text = payouts.map((one) => {
      const start = `${renderTime(one.createdAt)}  ${one.payoutId}  ${one.state}`;
      const approved = one.approvedBy.length === 0 ? [] : [`approved by ${one.approvedBy.join(', ')}`];
      const what = [
        `${countOf(one.rows, 'row')}, ${renderUsdc(one.total)} from ${one.payer ?? '-'}`,
        `key ${one.keyName}`,
        ...approved,
      ];
      return `${start}\n${wrap(`${' '.repeat(25)}${what.join(', ')}`).join('\n')}\n`;
    });
    return {
      text: (text.join('') || 'No matching payouts.\n') + describeNext({ next }),
      json: {
        payouts: payouts.map((one) => ({
          payout_id: one.payoutId,
          state: one.state,
          key: one.keyName,
          payer: one.payer,
          rows: one.rows,
          total: formatUsdc(one.total),
          created_at: one.createdAt,
          approved_by: one.approvedBy,
        })),
        next: next ?? null,
      },
    };
  },
});

export const show = verb({
  summary: 'Shows a payout and its rows: what was paid, what waits, what failed',
  about: `PAYOUT is its id, the reference of one of its rows, or the id of the payment of a row. For a row, only that row is shown, in
each payout that contains it.`,
  words: ['PAYOUT'],
  options: {
    state: { type: 'string', value: 'STATE', summary: `only rows in this state: ${ITEM_STATES.join(', ')}` },
    ...PAGE,
  },
  reads: true,
  examples: ['payout show 7d9f3c1e-… --state failed', 'payout show salary-2027-01-ada'],
  async run({ db }, { words: [given = ''], options }): Promise<Answer> {
    const word = readReference(given);
    const state = parseChoice('--state', options.state, ITEM_STATES);
    const limit = parseLimit(options.limit);
    const after = parseRow(options.after);
    const id = findUuid(word);
    const [payout] = id ? await findPayouts(db, [id]) : [];
    if (payout) {
      const items = await readItems(db, { payoutId: payout.payoutId, state, after, limit: limit + 1 });
      const { rows: shown, next } = cutPage(items, limit, ({ row }) => row);
      const key = (await listServiceKeys(db)).find(({ keyId }) => keyId === payout.keyId);
      const fields = renderFields([
        ['payout', payout.payoutId],
        ['state', payout.state],
        ['why', payout.waitsFor ? describeFault(payout.waitsFor) : undefined],
        ['its key', key?.isUnconfirmed ? UNCONFIRMED : undefined],
        ['payer', payout.payerId === null ? 'treasury' : `${payout.payerName ?? '-'}, user ${payout.payerId}`],
        ['rows', `${payout.all.count - payout.known.count}, ${renderUsdc(payout.all.total - payout.known.total)}`],
        [
          'paid before',
          payout.known.count > 0 ? `${payout.known.count}, ${renderUsdc(payout.known.total)}` : undefined,
        ],
        ['approvals', payout.approvalsNeeded > 0 ? `${payout.approvals} of ${payout.approvalsNeeded}` : undefined],
        ['checked', renderTime(payout.createdAt)],
        ['confirmed', payout.confirmedAt ? renderTime(payout.confirmedAt) : undefined],
        ['ended', payout.endedAt ? renderTime(payout.endedAt) : undefined],
        ['file', `${payout.file.contentType}, SHA-256 ${payout.file.sha256}`],
      ]);
      return {
        text: `${fields}\n${renderRows(shown)}${describeNext({ next })}`,
        json: { ...renderPayout(payout), items: shown.map(renderItem), next: next ?? null },
      };
    }
    const rows = id ? await findRowsByPayment(db, [id]) : await findRowsByReference(db, word);
    if (rows.length === 0) return refuseReference(db, word, 'a payout');
    return {
      text: rows.map((row) => `${renderFields([['payout', row.payoutId], ...fieldsOf(row)])}`).join('\n'),
      json: { rows: rows.map((row) => ({ payout_id: row.payoutId, ...renderItem(row) })) },
    };
  },
});

const UNCONFIRMED = 'is from before a restore and not confirmed: florin restore confirm keys';

function parseRow(text = '0'): number {
  if (!/^\d{1,5}$/.test(text)) throw misused('--after is the number of the last row of the page before');
  return Number.parseInt(text, 10);
}

function renderRows(items: readonly PayoutItem[]): string {
  if (items.length === 0) return 'No matching rows.\n';
  const rows = items.map((one) => [
    String(one.row),
    one.state,
    renderUsdc(one.amount),
    /^.{31}/.test(one.to) ? shorten(one.to) : one.to,
    one.error ? `${one.reference}: ${describeFault(one.error)}` : one.reference,
  ]);
  return renderTable([['row', 'state', 'amount', 'to', 'reference'], ...rows]);
}

const fieldsOf = (row: PayoutItem): (readonly [string, string | undefined])[] => [
  ['row', String(row.row)],
  ['reference', row.reference],
  ['state', row.state],
  ['amount', `${renderUsdc(row.amount)} on ${row.blockchain}`],
  ['to', row.to],
  ['payment', row.paymentId ? `${row.paymentId} ${row.paymentState ?? ''}` : undefined],
  ['hash', row.txHash ?? undefined],
  ['why', row.error ? describeFault(row.error) : undefined],
];
