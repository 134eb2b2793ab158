import { type FoundDeposit, findDepositsById, listUncredited } from '../../../custody/watch/findDeposits.ts';
import { listPayments } from '../../../payments/search/listPayments.ts';
import { type Answer, verb } from '../../program/command.ts';
import { AMOUNT, BLOCKCHAIN, describeNext, PAGE, parseChoice, parseConditions, SPAN } from '../../program/listing.ts';
import { renderTime, renderUsdc, shorten, wrap } from '../../program/render.ts';
import { depositToJson } from './describeDeposit.ts';

const STATES = ['credited', 'pending', 'held', 'gone', 'lost'] as const;
type State = (typeof STATES)[number];

export const list = verb({
  summary: 'Lists deposits, newest first: by person, amount, day, state, blockchain',
  about: `Conditions can be combined. Deposits that are not credited yet (pending, held) come first. They have no time, so --day,
--since and --until leave them out.`,
  options: {
    user: { type: 'string', value: 'USER', summary: 'to this person' },
    address: { type: 'string', value: 'ADDRESS', summary: 'from this address outside' },
    amount: AMOUNT,
    ...SPAN,
    state: { type: 'string', value: 'STATE', summary: STATES.join(', ') },
    blockchain: BLOCKCHAIN,
    ...PAGE,
  },
  reads: true,
  examples: ['deposit list --user ada', 'deposit list --amount 100-200 --day 2027-01-31', 'deposit list --state held'],
  async run({ db }, { options }): Promise<Answer> {
    const chosen = parseChoice('--state', options.state, STATES);
    const common = await parseConditions(db, options);
    const isFirst = common.after === undefined && !common.from && !common.to;
    const waiting = isFirst && !isCredited(chosen) ? await listUncredited(db, { ...common, state: chosen }) : [];
    const listed = isUncredited(chosen)
      ? { payments: [], next: undefined }
      : await listPayments(db, { ...common, kind: 'deposit', depositState: chosen });
    const ids = listed.payments.map(({ paymentId }) => paymentId);
    const found = new Map((await findDepositsById(db, ids)).map((one) => [one.paymentId, one]));
    const deposits = [...waiting, ...ids.flatMap((id) => found.get(id) ?? [])];
    const text = deposits.map(renderOne).join('') || 'No matching deposits.\n';
    return {
      text: text + describeNext(listed),
      json: {
        deposits: deposits.map(depositToJson),
        next: listed.next ?? null,
        searched_to: listed.searchedTo ?? null,
      },
    };
  },
});

const isUncredited = (state: State | undefined): state is 'pending' | 'held' => state === 'pending' || state === 'held';
const isCredited = (state: State | undefined): state is 'credited' | 'gone' | 'lost' =>
  state !== undefined && !isUncredited(state);

/** Two lines: an id alone takes 36 of the 100 columns. A deposit without an id is named by its hash, on a third line. */
function renderOne(one: FoundDeposit): string {
  const { paymentId, state, amount, blockchain, fromAddress, toAddress, userId, username, txHash, creditedAt } = one;
  const whose = userId === null ? 'the treasury' : (username ?? `user ${userId}`);
  const what = `${renderUsdc(amount)} on ${blockchain}, from ${shorten(fromAddress)} to ${whose} ${shorten(toAddress)}`;
  const when = creditedAt ? renderTime(creditedAt) : 'not credited yet'.padEnd(INDENT - 2);
  const lines = [`${when}  ${paymentId ?? '-'.padEnd(36)}  ${state}`, ...wrap(`${' '.repeat(INDENT)}${what}`)];
  return [...lines, ...(paymentId ? [] : [`${' '.repeat(INDENT)}${txHash}`]), ''].join('\n');
}

const INDENT = 25;
