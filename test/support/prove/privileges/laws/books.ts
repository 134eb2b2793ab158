/**
 * Double entry: each change of a balance is the sum of new rows, numbered without gaps, and every asset sums to zero.
 */
import type { Row } from '../recorder.ts';
import { amountOf, changesOf, type Deed, type Law } from './law.ts';

interface Leg {
  readonly entry: bigint;
  readonly available: bigint;
  readonly held: bigint;
  /** The balance afterwards, according to the row. */
  readonly availableAfter: bigint;
  readonly heldAfter: bigint | undefined;
}

/** The changes of balances that one row makes. */
function legsOf(row: Row, { after }: Deed): [account: string, leg: Leg][] {
  const amount = amountOf(row.amount);
  const hold = row.hold_id ? amountOf(after.find('transfers', row.hold_id)?.amount) : 0n;
  const [available, held] = {
    hold: [-amount, amount],
    post: [hold - amount, -hold],
    release: [hold, -hold],
  }[row.kind!] ?? [-amount, 0n];
  const debit: Leg = {
    entry: amountOf(row.debit_entry),
    available: available!,
    held: held!,
    availableAfter: amountOf(row.debit_available),
    heldAfter: row.debit_held == null ? undefined : amountOf(row.debit_held),
  };
  if (row.credit_entry == null) return [[row.debit_account!, debit]];
  const credit: Leg = {
    entry: amountOf(row.credit_entry),
    available: amount,
    held: 0n,
    availableAfter: amountOf(row.credit_available),
    heldAfter: undefined,
  };
  return [
    [row.debit_account!, debit],
    [row.credit_account!, credit],
  ];
}

function checkAccount(id: string, legs: readonly Leg[], deed: Deed): string | undefined {
  const before = deed.before.find('accounts', id);
  const after = deed.after.find('accounts', id);
  if (!after) return `account ${id} does not exist`;
  let [available, held, entry] = [amountOf(before?.available), amountOf(before?.held), amountOf(before?.entries)];
  for (const leg of legs.toSorted((a, b) => (a.entry < b.entry ? -1 : 1))) {
    [available, held, entry] = [available + leg.available, held + leg.held, entry + 1n];
    if (leg.entry !== entry) return `account ${id}: a row has the number ${leg.entry} instead of ${entry}`;
    if (leg.availableAfter !== available || (leg.heldAfter ?? held) !== held) {
      return `account ${id}: row ${entry} says ${leg.availableAfter}, the rows sum to ${available}`;
    }
  }
  const now = [amountOf(after.available), amountOf(after.held), amountOf(after.entries)];
  if (now[0] !== available || now[1] !== held || now[2] !== entry) {
    return `account ${id} (${after.kind}) has ${now.join('/')} (available/held/entries), its rows say ${available}/${held}/${entry}`;
  }
  return undefined;
}

export const books: Law = (deed) => {
  const faults: string[] = [];
  const legs = new Map<string, Leg[]>();
  for (const { before, after } of changesOf(deed, 'transfers')) {
    if (before || !after) {
      faults.push('a row of the ledger was changed or removed');
      continue;
    }
    if (amountOf(after.amount) <= 0n) faults.push(`transfer ${after.transfer_id} has the amount ${after.amount}`);
    for (const [account, leg] of legsOf(after, deed)) {
      legs.set(account, [...(legs.get(account) ?? []), leg]);
      const asset = deed.after.find('accounts', account)?.asset_id;
      if (asset !== after.asset_id) faults.push(`transfer ${after.transfer_id} crosses assets`);
    }
  }
  const touched = new Set([...legs.keys(), ...changesOf(deed, 'accounts').map(({ key }) => key)]);
  for (const id of touched) {
    const fault = checkAccount(id, legs.get(id) ?? [], deed);
    if (fault) faults.push(fault);
  }
  if (touched.size > 0) faults.push(...sumToZero(deed));
  return faults;
};

function sumToZero({ after }: Deed): string[] {
  const sums = new Map<string, bigint>();
  for (const { asset_id, available, held } of after.rows('accounts')) {
    sums.set(asset_id!, (sums.get(asset_id!) ?? 0n) + amountOf(available) + amountOf(held));
  }
  return [...sums].flatMap(([asset, sum]) => (sum === 0n ? [] : [`the accounts of asset ${asset} sum to ${sum}`]));
}
