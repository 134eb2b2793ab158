import type { Usdc } from '../core/money.ts';
import { findCallers, renderHashes } from '../customers/openCallers.ts';
import type { Lane, Statement } from '../db/openLane.ts';
import type { Asked, Directory, Resolved } from './resolveParties.ts';

/** One user's wish to pay another, on its way into a batch. */
export interface PayCommand extends Asked {
  readonly paymentId: string;
  /** Made from an Idempotency-Key: a refusal is then stored, so that a retry hears it again. */
  readonly keyed: boolean;
  readonly amount: Usdc;
  /** What stands for the receiver when requests are compared: the name, or a hash of something that is no name. */
  readonly receiverText: string;
  /** Of the session that asks, to be confirmed by the statement that pays; undefined where calls are bare. */
  readonly tokenHash?: string | undefined;
}

export interface Paid {
  readonly outcome: 'paid';
  readonly available: bigint;
  readonly atMs: number;
  readonly from: string | null;
  readonly to: string;
  /** The old name that was asked for and led to `to`. */
  readonly typed: string | null;
}

export interface Refused {
  readonly outcome: 'refused';
  readonly code: string;
  readonly details: Readonly<Record<string, string>>;
}

/** `before`: this id was decided earlier, and the same was asked then. */
export type PayOutcome =
  | { readonly before: boolean; readonly result: Paid | Refused }
  | { readonly before: true; readonly result: 'mismatch' };

const PAY_USERS: Statement = {
  name: 'pay_users',
  text: 'SELECT * FROM pay_users_in_sessions($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)',
};

type Rare =
  | ({ readonly old?: undefined } & Pick<Refused, 'code' | 'details'>)
  | ({ readonly old: 'refused'; readonly same: boolean } & Pick<Refused, 'code' | 'details'>)
  | {
      readonly old: 'paid';
      readonly same: boolean;
      readonly available: string;
      readonly at_ms: number;
      readonly from: string | null;
      readonly to: string;
      readonly typed: string | null;
    };

/** Names may change under our hands, but not this often. */
const STALE_ATTEMPTS = 20;

/** What says something about the whole batch, and that nothing of it was done. */
interface Undone {
  readonly stale?: true;
  readonly ended?: true;
}

/** Applies a batch in one statement, one outcome each, in order. The ids are distinct. */
export async function payUsers(
  lane: Lane,
  directory: Directory,
  assetId: number,
  commands: readonly PayCommand[],
): Promise<PayOutcome[]> {
  if (commands.length === 0) return [];
  for (let attempt = 1; attempt <= STALE_ATTEMPTS; attempt++) {
    const resolved = await directory.resolve(lane, commands);
    const [row] = await lane.run(PAY_USERS, [renderTokens(commands), ...encode(assetId, commands, resolved)]);
    const rare = row![2] === '{}' ? undefined : (JSON.parse(row![2]!) as Record<string, Rare> & Undone);
    if (rare?.ended) return payWithoutEnded(lane, directory, assetId, commands);
    if (!rare?.stale) return decode(commands, resolved, row![0]!, row![1]!, rare);
    await directory.resolve(lane, [UNKNOWN]);
  }
  throw new Error('usernames change faster than a batch can be paid');
}

/** Distinct, for the statement counts those that are alive. */
function renderTokens(commands: readonly PayCommand[]): string {
  const hashes = new Set<string>();
  for (const { tokenHash } of commands) if (tokenHash !== undefined) hashes.add(tokenHash);
  return renderHashes([...hashes]);
}

/** Sessions that have ended since they were last seen are refused; the others of the batch do not notice. */
async function payWithoutEnded(
  lane: Lane,
  directory: Directory,
  assetId: number,
  commands: readonly PayCommand[],
): Promise<PayOutcome[]> {
  const found = await findCallers(
    lane,
    commands.flatMap(({ tokenHash }) => tokenHash ?? []),
  );
  const reasons = commands.map(({ tokenHash }) => {
    const caller = tokenHash === undefined ? undefined : (found.get(tokenHash) ?? 'unknown');
    return typeof caller === 'string' ? caller : undefined;
  });
  const alive = commands.filter((_, i) => reasons[i] === undefined);
  const outcomes = (await payUsers(lane, directory, assetId, alive)).values();
  return reasons.map((reason): PayOutcome => {
    if (reason === undefined) return outcomes.next().value as PayOutcome;
    return { before: false, result: { outcome: 'refused', code: 'auth.invalid', details: { reason } } };
  });
}

/** Nobody: asking for them reads the epoch of today. */
const UNKNOWN: Asked = { senderId: '00000000-0000-0000-0000-000000000000', receiver: undefined };

function encode(assetId: number, commands: readonly PayCommand[], resolved: Resolved): string[] {
  const { epoch, senders, receivers } = resolved;
  const totals = new Map<number, Totals>();
  for (const parties of [senders, receivers]) {
    for (const party of parties) {
      if (party) totals.set(party.accountId, { place: 0, net: 0n, out: 0n, sends: 0, touches: 0 });
    }
  }
  const ascending = [...totals.keys()].sort((a, b) => a - b);
  for (let i = 0; i < ascending.length; i++) totals.get(ascending[i]!)!.place = i + 1;
  // Array literals, written by hand: node-postgres would quote and escape every element. Ids are UUIDs, amounts are
  // bigints and names match ^[a-z0-9_]+$, so nothing here can need it; `receiverText` of no name is hexadecimal.
  let [ids, keyed, debits, credits, amounts, froms, tos, typed] = ['', '', '', '', '', '', '', ''];
  for (let i = 0; i < commands.length; i++) {
    const { paymentId, keyed: isKeyed, amount, receiverText } = commands[i]!;
    const sender = senders[i];
    const receiver = receivers[i];
    const debit = sender && totals.get(sender.accountId)!;
    const credit = receiver && totals.get(receiver.accountId)!;
    if (debit && credit && debit !== credit) expect(debit, credit, amount);
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
  const list = (read: (total: Totals) => bigint | number) => ascending.map((id) => read(totals.get(id)!)).join(',');
  const accounts = [
    ascending.join(','),
    list(({ net }) => net),
    list(({ out }) => out),
    list(({ sends }) => sends),
    list(({ touches }) => touches),
  ];
  const payments = [ids, keyed, debits, credits, amounts, froms, tos, typed];
  return [String(assetId), epoch, ...[...accounts, ...payments].map((elements) => `{${elements}}`)];
}

/** What would become of an account if every payment of the batch were accepted. */
interface Totals {
  place: number;
  net: bigint;
  out: bigint;
  sends: number;
  touches: number;
}

function expect(debit: Totals, credit: Totals, amount: bigint): void {
  debit.net -= amount;
  debit.out += amount;
  debit.sends++;
  debit.touches++;
  credit.net += amount;
  credit.touches++;
}

/** Quoted, because `null` would otherwise be a name that means nothing. */
const quote = (name: string | null | undefined): string => (name == null ? 'NULL' : `"${name}"`);

function decode(
  commands: readonly PayCommand[],
  { senders, receivers }: Resolved,
  atText: string,
  availableText: string,
  rare: Readonly<Record<string, Rare>> | undefined,
): PayOutcome[] {
  const atMs = Number.parseInt(atText, 10);
  const available = availableText.slice(1, -1).split(',');
  return commands.map(({ receiverText }, i) => {
    const special = rare?.[i + 1];
    if (special) return decodeRare(special);
    const to = receivers[i]!.username!;
    const typed = to === receiverText ? null : receiverText;
    const from = senders[i]!.username;
    return { before: false, result: { outcome: 'paid', available: BigInt(available[i]!), atMs, from, to, typed } };
  });
}

function decodeRare(rare: Rare): PayOutcome {
  if (rare.old === undefined) {
    return { before: false, result: { outcome: 'refused', code: rare.code, details: rare.details } };
  }
  if (!rare.same) return { before: true, result: 'mismatch' };
  if (rare.old === 'refused') {
    return { before: true, result: { outcome: 'refused', code: rare.code, details: rare.details } };
  }
  const { available, at_ms: atMs, from, to, typed } = rare;
  return { before: true, result: { outcome: 'paid', available: BigInt(available), atMs, from, to, typed } };
}
