/** The person's payments as a table for spreadsheets, written from the same history that the wallet shows. */
import { florin } from './session.ts';

const COLUMNS = [
  'transaction_id',
  'created_at',
  'kind',
  'state',
  'from',
  'to',
  'amount',
  'blockchain',
  'tx_hash',
  'available_after',
] as const;

const nameOf = (party: object): string =>
  Object.entries(party).find(([name]) => ['username', 'address', 'wallet_id'].includes(name))?.[1] ?? '';

/** Prefixes a field that a spreadsheet would read as a formula, so that it is shown as text. */
function renderField(text: string): string {
  const safe = /^[=+@\t\r]|^-(?!\d)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export async function readStatement(): Promise<string> {
  const lines: string[] = [COLUMNS.join(',')];
  for await (const one of florin.history({ limit: 200 })) {
    const row = { ...one, from: nameOf(one.from), to: nameOf(one.to) };
    lines.push(COLUMNS.map((name) => renderField(String(row[name] ?? ''))).join(','));
  }
  return `${lines.join('\r\n')}\r\n`;
}
