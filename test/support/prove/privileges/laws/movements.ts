/** The reasons for which a login may move money. Each kind of row needs its own reason. */
import type { Row } from '../recorder.ts';
import {
  addedTo,
  amountOf,
  changesOf,
  type Deed,
  importsOf,
  isPaused,
  type Law,
  lacksApprovals,
  mayApprove,
  ownerOfWallet,
} from './law.ts';

const accountOf = ({ after }: Deed, id: string | null | undefined): Row => after.find('accounts', id) ?? {};

/** Why this login may not write this row; undefined: it may. */
type Ground = (row: Row, deed: Deed) => string | undefined;

function payoutOf(row: Row, deed: Deed): string | undefined {
  const item = changesOf(deed, 'payout_items').find(
    (change) => change.after?.payment_id === row.transfer_id && change.before?.state === 'ready',
  )?.after;
  const payout = deed.before.find('payouts', item?.payout_id);
  if (!item || !payout) return 'it pays no payout row';
  if (!['running', 'waiting'].includes(payout.state!)) return `payout ${payout.payout_id} is ${payout.state}`;
  const debit = accountOf(deed, row.debit_account);
  if (debit.user_id !== payout.payer_id) return 'another account pays the payout';
  if (item.amount !== row.amount) return 'the payout has another amount';
  return undefined;
}

const refundOf: Ground = (row, deed) => {
  const change = changesOf(deed, 'refunds').find(({ key }) => key === row.transfer_id);
  const refund = change?.after;
  if (!refund?.booked_at || change?.before?.booked_at) return 'it books no refund';
  if (refund.amount !== row.amount) return 'the refund has another amount';
  const isTreasury = accountOf(deed, row.debit_account).kind === 'treasury';
  if (isTreasury !== (refund.source === 'treasury')) return 'another account pays the refund';
  if (!mayApprove(deed.before, deed.login, refund.booked_at)) return `${deed.login} may not approve`;
  if (!isTreasury) return undefined;
  if (refund.approved_by !== deed.login || refund.proposed_by === deed.login) return 'it needs two people';
  return mayApprove(deed.before, refund.proposed_by, refund.proposed_at)
    ? undefined
    : 'its proposer is not an operator';
};

const user: Ground = (row, deed) => {
  const [debit, credit] = [accountOf(deed, row.debit_account), accountOf(deed, row.credit_account)];
  if (credit.kind !== 'user') return `it pays the account ${credit.kind}`;
  switch (deed.actor) {
    case 'server':
      if (debit.kind !== 'user') return `it takes from the account ${debit.kind}`;
      return isPaused(deed.before, 'all', 'user', `user:${debit.user_id}`) ? 'payments are paused' : undefined;
    case 'worker':
      return payoutOf(row, deed);
    case 'admin':
    case 'risk':
      return refundOf(row, deed);
    default:
      return `${deed.actor} may not pay`;
  }
};

const hold: Ground = (row, deed) => {
  const payment = changesOf(deed, 'payments').find(({ key, before }) => key === row.transfer_id && !before)?.after;
  if (!payment) return 'it has no accepted payment';
  const [debit, credit] = [accountOf(deed, row.debit_account), accountOf(deed, row.credit_account)];
  if (credit.kind !== 'chain') return `it holds for the account ${credit.kind}`;
  if (ownerOfWallet(deed.after, payment.wallet_id) !== debit.user_id) return 'the wallet does not belong to the payer';
  const move = importsOf(deed).get(row.transfer_id!);
  if (move) {
    if (move.amount !== row.amount || move.wallet_id !== payment.wallet_id) return 'it is not the move on the chain';
    return ['server', 'admin'].includes(deed.actor) ? undefined : `${deed.actor} may not import`;
  }
  if (deed.actor === 'worker') {
    const why = payoutOf(row, deed);
    if (why) return why;
  } else if (deed.actor !== 'server') return `${deed.actor} may not send`;
  const network = deed.after.find('networks', deed.after.find('assets', row.asset_id)?.network_id);
  if (isPaused(deed.before, 'all', 'chain', `chain:${network?.blockchain}`, `user:${debit.user_id}`)) {
    return 'sends are paused';
  }
  const rules = deed.before.rows('send_rules')[0]!;
  const isLarge = rules.approval_threshold !== null && amountOf(row.amount) >= amountOf(rules.approval_threshold);
  if (isLarge && payment.approvals_needed !== '2') return 'it needs two approvals and does not wait for them';
  return debit.user_id == null ? treasury(payment, row, deed) : undefined;
};

/** The treasury is spent only with a service key that may spend it. */
function treasury(payment: Row, row: Row, { before, variant }: Deed): string | undefined {
  if (payment.key_id == null) {
    // Servers of the previous release have no keys that spend: they alone decide until the upgrade is finished.
    const isOpen = variant === 'unfinished' || before.rows('send_rules')[0]!.has_open_treasury === 'true';
    return isOpen ? undefined : 'the treasury is spent without a key';
  }
  const key = before.find('service_keys', payment.key_id);
  const expires = before.find('key_rules', payment.key_id)?.expires_at;
  const isExpired = expires != null && Date.parse(expires) < Date.parse(row.created_at!);
  if (!key || key.revoked_at || isExpired) return 'the treasury is spent with a key that is not valid';
  const budget = before.find('key_budgets', `${payment.key_id} treasury`);
  if (budget?.allowed !== 'true') return 'the key may not spend the treasury';
  if (budget.payment_limit && amountOf(row.amount) > amountOf(budget.payment_limit))
    return 'it exceeds the key’s limit';
  return undefined;
}

const endOfHold = (row: Row, { before, after }: Deed): string | undefined => {
  const held = after.find('transfers', row.hold_id);
  if (held?.kind !== 'hold' || held.debit_account !== row.debit_account) return 'there is no such hold';
  if (before.rows('transfers').some(({ hold_id }) => hold_id === row.hold_id)) return 'the hold has ended before';
  if (amountOf(row.amount) > amountOf(held.amount)) return 'it is more than was held';
  return undefined;
};

const post: Ground = (row, deed) => {
  const why = endOfHold(row, deed);
  if (why) return why;
  if (importsOf(deed).has(row.hold_id!)) return undefined;
  if (deed.actor !== 'worker') return `${deed.actor} may not post`;
  const payment = deed.after.find('payments', row.hold_id);
  if (!payment) return 'no payment has this hold';
  return lacksApprovals(deed, payment) ? 'the payment lacks approvals' : undefined;
};

const MAY_END: Readonly<Record<string, readonly string[]>> = {
  CANCELLED: ['server', 'worker', 'admin', 'risk', 'support'],
  DENIED: ['server', 'worker', 'admin', 'risk'],
  FAILED: ['server', 'worker', 'admin'],
};

const release: Ground = (row, deed) => {
  const why = endOfHold(row, deed);
  if (why) return why;
  const end = changesOf(deed, 'payments').find(({ key }) => key === row.hold_id)?.after?.state;
  if (!end || !(end in MAY_END)) return 'the payment has not ended unpaid';
  if (!MAY_END[end]!.includes(deed.actor)) return `${deed.actor} may not end it as ${end}`;
  const move = deed.after.find('coin_moves', row.hold_id);
  return move && move.state !== 'dead' ? `its coins are ${move.state}` : undefined;
};

const deposit: Ground = (row, deed) => {
  const known = deed.after.rows('deposits').find(({ transfer_id }) => transfer_id === row.transfer_id);
  if (!known) return 'no deposit has its id';
  if (accountOf(deed, row.debit_account).kind !== 'chain') return 'it does not come from the chain';
  if (known.amount !== row.amount || known.asset_id !== row.asset_id) return 'the deposit has another amount';
  const credit = accountOf(deed, row.credit_account);
  const owner = ownerOfWallet(deed.after, known.wallet_id);
  if (credit.user_id !== owner || (owner == null && credit.kind !== 'treasury'))
    return 'the deposit belongs to another person';
  if (deed.actor === 'worker' || importsOf(deed).size > 0) return undefined;
  return `${deed.actor} may not book deposits`;
};

const correction: Ground = (row, deed) => {
  const booked = changesOf(deed, 'corrections').find(
    ({ key, before }) => key === row.transfer_id && !before?.booked_at,
  )?.after;
  if (!booked?.booked_at) return 'it books no correction';
  const amount = amountOf(booked.amount);
  if ((amount < 0n ? -amount : amount) !== amountOf(row.amount)) return 'the correction has another amount';
  if (booked.approved_by !== deed.login || booked.proposed_by === deed.login) return 'it needs two people';
  const both =
    mayApprove(deed.before, deed.login, booked.booked_at) &&
    mayApprove(deed.before, booked.proposed_by, booked.proposed_at);
  return both ? undefined : 'it needs two operators who may approve';
};

/** A deposit that the chain has permanently reverted is the service's loss, once. */
const writeOff: Ground = (row, { after }) => {
  const kindOf = (id: string | null | undefined) => after.find('accounts', id)?.kind;
  const isWriteOff = ({ kind, debit_account, credit_account, transfer_id }: Row) =>
    kind === 'internal' &&
    kindOf(debit_account) === 'loss' &&
    kindOf(credit_account) === 'chain' &&
    !after.find('corrections', transfer_id);
  if (!isWriteOff(row)) return 'only `loss` gives to the chain';
  const isSame = ({ asset_id, amount }: Row) => asset_id === row.asset_id && amount === row.amount;
  const lost = after.rows('deposits').filter((one) => one.state === 'lost' && isSame(one)).length;
  const booked = after.rows('transfers').filter((one) => isWriteOff(one) && isSame(one)).length;
  return booked > lost ? 'no deposit of this amount is lost' : undefined;
};

/** The debit of an import is returned once, when the payment itself has paid for the same coins. */
const givenBack: Ground = (row, deed) => {
  const move = changesOf(deed, 'unexplained_moves').find(
    ({ before, after }) => before && !before.given_back && after?.given_back === row.transfer_id,
  )?.after;
  if (!move) return 'it reverses no import';
  const isPost = ({ kind, hold_id, amount }: Row, id: string | null | undefined) =>
    kind === 'post' && hold_id === id && amount === row.amount;
  if (!addedTo(deed, 'transfers').some((one) => isPost(one, move.imported_as))) return 'no payment has paid instead';
  const taken = deed.before.rows('transfers').find((one) => isPost(one, move.first_imported_as));
  return taken?.debit_account === row.credit_account ? undefined : 'the import took nothing from this account';
};

const internal: Ground = (row, deed) => {
  const [debit, credit] = [accountOf(deed, row.debit_account), accountOf(deed, row.credit_account)];
  if (deed.actor === 'worker') {
    if (debit.kind === 'chain') return givenBack(row, deed);
    const isSettled = changesOf(deed, 'debts').some(
      ({ before, after }) =>
        after?.account_id === debit.account_id &&
        amountOf(after?.collected) - amountOf(before?.collected) === amountOf(row.amount),
    );
    return credit.kind === 'loss' && isSettled ? undefined : writeOff(row, deed);
  }
  // `loss` covers the missing amount of an import, and receives what is collected of a debt.
  const debts = changesOf(deed, 'debts').filter(({ after }) =>
    [debit.account_id, credit.account_id].includes(after?.account_id),
  );
  const collected = debts.some(
    ({ before, after }) => amountOf(after?.collected) - amountOf(before?.collected) === amountOf(row.amount),
  );
  if (debit.kind === 'loss' && importsOf(deed).size > 0 && debts.some(({ after }) => after?.amount === row.amount))
    return undefined;
  if (credit.kind === 'loss' && deed.actor === 'admin' && collected) return undefined;
  // Coins that have left, at the service's expense.
  const lost = importsOf(deed).get(String(row.transfer_id));
  if (debit.kind === 'loss' && credit.kind === 'chain' && deed.actor === 'admin' && lost && !lost.to_wallet)
    return lost.amount === row.amount ? undefined : 'the move has another amount';
  return correction(row, deed);
};

const GROUNDS: Readonly<Record<string, Ground>> = { user, hold, post, release, deposit, internal };

export const movements: Law = (deed) =>
  addedTo(deed, 'transfers').flatMap((row) => {
    const why = GROUNDS[row.kind!]!(row, deed);
    const [debit, credit] = [accountOf(deed, row.debit_account), accountOf(deed, row.credit_account)];
    return why ? [`${row.kind} of ${row.amount} from ${debit.kind} to ${credit.kind}: ${why}`] : [];
  });
