import type { Usdc } from '../../core/money.ts';
import type { KnownCaller, KnownSessions } from '../../customers/sessions/knownSessions.ts';
import { findCallers } from '../../customers/sessions/openCallers.ts';
import type { Lane, Statement } from '../../db/openLane.ts';
import type { Asked, Directory, Resolved } from './resolveParties.ts';

/** One user's wish to pay another, on its way into a batch. */
export interface PayCommand extends Asked {
  readonly paymentId: string;
  /** Made from an Idempotency-Key: a refusal is then stored, so that a retry hears it again. */
  readonly keyed: boolean;
  readonly amount: Usdc;
  /** What stands for the receiver when requests are compared: the name, or a hash of something that is no name. */
  readonly receiverText: string;
  /** Who asks, as remembered: confirmed by the statement that pays. Undefined where calls are bare. */
  readonly caller?: KnownCaller | undefined;
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
  text: 'SELECT * FROM ledger_pay_users($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)',
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
  /** A name has changed. */
  readonly stale?: true;
  /** Something has happened to a session. */
  readonly changed?: true;
}

/** What payments are made with. */
export interface PayDesk {
  readonly assetId: number;
  readonly directory: Directory;
  readonly sessions: KnownSessions;
}

/** Applies a batch in one statement, one outcome each, in order. The ids are distinct. */
export async function payUsers(lane: Lane, desk: PayDesk, commands: readonly PayCommand[]): Promise<PayOutcome[]> {
  const { assetId, directory, sessions } = desk;
  if (commands.length === 0) return [];
  for (let attempt = 1; attempt <= STALE_ATTEMPTS; attempt++) {
    const resolved = await directory.resolve(lane, commands);
    if (commands.some(({ caller }) => caller?.isChanged)) return payThoseWhoMay(lane, desk, commands);
    // Without another await, so that everybody here may act as of this epoch.
    const epoch = commands.some(({ caller }) => caller) ? sessions.epoch! : null;
    const [row] = await lane.run(PAY_USERS, [epoch, ...encode(assetId, commands, resolved)]);
    const rare = row![2] === '{}' ? undefined : (JSON.parse(row![2]!) as Record<string, Rare> & Undone);
    if (rare?.changed) await sessions.catchUp(lane);
    else if (rare?.stale) await directory.resolve(lane, [UNKNOWN]);
    else return decode(commands, resolved, row![0]!, row![1]!, rare);
  }
  throw new Error('names or sessions change faster than a batch can be paid');
}

/** Sessions that have ended since they were last seen are refused; the others of the batch do not notice. */
async function payThoseWhoMay(lane: Lane, desk: PayDesk, commands: readonly PayCommand[]): Promise<PayOutcome[]> {
  const asked = commands.flatMap(({ caller }) => (caller?.isChanged ? caller.accessToken : []));
  const answers = (await findCallers(lane, desk.sessions, asked)).values();
  const callers = commands.map(({ caller }) => (caller?.isChanged ? answers.next().value! : caller));
  const allowed = commands.flatMap((command, i) => {
    const caller = callers[i];
    return typeof caller === 'string' ? [] : [{ ...command, caller }];
  });
  const outcomes = (await payUsers(lane, desk, allowed)).values();
  return callers.map((caller): PayOutcome => {
    if (typeof caller !== 'string') return outcomes.next().value!;
    return { before: false, result: { outcome: 'refused', code: 'auth.invalid', details: { reason: caller } } };
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
