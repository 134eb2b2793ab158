import type { Statement } from '../../db/openDedicatedConnection.ts';
import type { Epoch } from '../../ledger/epoch.ts';
import type { PayCommand } from './payCommand.ts';
import type { Resolved } from './resolveParties.ts';

/** Its parameters are explained in `sql/functions/ledger/ledger_pay_batch.sql`; `encodeBatch` makes them. */
export const PAY_USERS: Statement = {
  name: 'pay_users',
  text: `SELECT * FROM ledger_pay_batch($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
};

/**
 * The same when some payments of the batch answer requests for money, whose ids come first
 * (`sql/functions/payments/pay_money_requests.sql`).
 */
export const PAY_REQUESTS: Statement = {
  name: 'pay_money_requests',
  text: `SELECT * FROM pay_money_requests($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`,
};

/** The same when some payments of the batch have notes: `encodeNotes`, and the ids of the requests (`pay_with_notes.sql`). */
export const PAY_WITH_NOTES: Statement = {
  name: 'pay_with_notes',
  text: `SELECT * FROM pay_with_notes($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`,
};

/** The same for one payment with an account key: the key, its client, `encodeNotes`, requests (`pay_with_key.sql`). */
export const PAY_WITH_KEY: Statement = {
  name: 'pay_with_key',
  text: `SELECT * FROM pay_with_key($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`,
};

/**
 * The same for one payment, which is rolled back before the answer; `o_limits` has the limits that the payer would have
 * left.
 */
export const PREVIEW_PAYMENT: Statement = {
  name: 'preview_payment',
  text: `SELECT * FROM preview_payment($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
};

/** The totals of one account if every payment of the batch is accepted. */
interface AccountTotals {
  readonly accountId: number;
  /** Its index in `p_accounts`, from 1. */
  place: number;
  net: bigint;
  out: bigint;
  sends: number;
  touches: number;
  /** The last payment that it sends or receives: its position in the batch, from 1. */
  last: number;
}

/** The parameters of both. `sessionsEpoch` is null if no payment of the batch belongs to a session. */
export function encodeBatch(
  sessionsEpoch: Epoch | null,
  assetId: number,
  commands: readonly PayCommand[],
  { epoch, senders, receivers }: Resolved,
): (string | null)[] {
  const totals = new Map<number, AccountTotals>();
  const debited = senders.map((sender) => sender && getTotals(totals, sender.accountId));
  const credited = receivers.map((receiver) => receiver && getTotals(totals, receiver.accountId));
  const accounts = [...totals.values()].sort((a, b) => a.accountId - b.accountId);
  for (let i = 0; i < accounts.length; i++) accounts[i]!.place = i + 1;
  // Array literals, written by hand: node-postgres would quote and escape every element. Ids are UUIDs, amounts are
  // bigints, names match ^[a-z0-9_]+$ and a hash in `receiverText` is hexadecimal, so nothing needs escaping.
  let [ids, keyed, debits, credits, amounts, froms, tos, typed] = ['', '', '', '', '', '', '', ''];
  for (let i = 0; i < commands.length; i++) {
    const { paymentId, keyed: isKeyed, amount, receiverText } = commands[i]!;
    const sender = senders[i];
    const receiver = receivers[i];
    const debit = debited[i];
    const credit = credited[i];
    if (debit && credit && debit !== credit) addPayment(debit, credit, amount, i + 1);
    const comma = i === 0 ? '' : ',';
    ids += comma + paymentId;
    keyed += comma + (isKeyed ? 't' : 'f');
    debits += comma + (debit ? debit.place : 0);
    credits += comma + (credit ? credit.place : 0);
    amounts += comma + amount;
    froms += comma + quote(sender?.username);
    tos += comma + quote(receiver?.username);
    typed += comma + (receiver?.username === receiverText ? 'NULL' : quote(receiverText));
  }
  let [accountIds, nets, outs, sends, touches, lasts] = ['', '', '', '', '', ''];
  for (let i = 0; i < accounts.length; i++) {
    const account = accounts[i]!;
    const comma = i === 0 ? '' : ',';
    accountIds += comma + account.accountId;
    nets += comma + account.net;
    outs += comma + account.out;
    sends += comma + account.sends;
    touches += comma + account.touches;
    lasts += comma + account.last;
  }
  return [
    sessionsEpoch?.counter ?? null, // p_sessions
    sessionsEpoch?.random ?? null, // p_sessions_random
    String(assetId), // p_asset
    epoch.counter, // p_names
    epoch.random, // p_names_random
    // One element per account:
    `{${accountIds}}`, // p_accounts
    `{${nets}}`, // p_net: received less sent
    `{${outs}}`, // p_out: sent
    `{${sends}}`, // p_sends: payments it sends
    `{${touches}}`, // p_touches: payments it sends or receives
    `{${lasts}}`, // p_lasts: the last of these
    // One element per payment:
    `{${ids}}`, // p_ids
    `{${keyed}}`, // p_keyed
    `{${debits}}`, // p_debits: the sender's index in p_accounts, 0 if unknown
    `{${credits}}`, // p_credits: the receiver's
    `{${amounts}}`, // p_amounts
    `{${froms}}`, // p_froms: the sender's current name
    `{${tos}}`, // p_tos: the receiver's current name
    `{${typed}}`, // p_typed: the requested name if it differs from that name, or NULL
  ];
}

function getTotals(known: Map<number, AccountTotals>, accountId: number): AccountTotals {
  let totals = known.get(accountId);
  if (!totals) {
    totals = { accountId, place: 0, net: 0n, out: 0n, sends: 0, touches: 0, last: 0 };
    known.set(accountId, totals);
  }
  return totals;
}

function addPayment(debit: AccountTotals, credit: AccountTotals, amount: bigint, place: number): void {
  debit.net -= amount;
  debit.out += amount;
  debit.sends++;
  debit.touches++;
  debit.last = place;
  credit.net += amount;
  credit.touches++;
  credit.last = place;
}

export const encodeNotes = (commands: readonly PayCommand[]): string =>
  `{${commands.map(({ note }) => quote(note?.replace(/[\\"]/g, '\\$&'))).join(',')}}`;

/** Quoted, because a user may be called `null`, which PostgreSQL reads as NULL without quotes. */
const quote = (name: string | null | undefined): string => (name == null ? 'NULL' : `"${name}"`);
