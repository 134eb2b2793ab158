import { type LimitsText, parseLimits } from '../../customers/limits/readLimits.ts';
import type { KnownSessions } from '../../customers/sessions/knownSessions.ts';
import { findCallers } from '../../customers/sessions/openCallers.ts';
import type { DedicatedConnection, TextRow } from '../../db/openDedicatedConnection.ts';
import {
  encodeBatch,
  encodeNotes,
  PAY_REQUESTS,
  PAY_USERS,
  PAY_WITH_KEY,
  PAY_WITH_NOTES,
  PREVIEW_PAYMENT,
} from './encodeBatch.ts';
import type { PayCommand, PaymentPreview, PayOutcome, Refused } from './payCommand.ts';
import type { Directory, PartiesAsked, Resolved } from './resolveParties.ts';

/** An outcome that is not simply "paid now": a fresh refusal, or an id that was decided before (`old`). */
type Exception =
  | ({ readonly old?: undefined } & Pick<Refused, 'code' | 'details'>)
  | (Decided & { readonly old: 'refused' } & Pick<Refused, 'code' | 'details'>)
  | (Decided & {
      readonly old: 'paid';
      readonly available: string;
      readonly at_ms: number;
      readonly from: string | null;
      readonly to: string;
      readonly typed: string | null;
    });

interface Decided {
  /** It was the same request, apart from the note. */
  readonly same: boolean;
  /** Null: it was removed. Absent: there was none. */
  readonly note?: string | null;
}

/** By the payment's position in the batch, from 1. */
type Exceptions = Readonly<Record<string, Exception>>;

/** Set when the statement did nothing, because our cache is out of date. */
interface Outdated {
  /** A name has changed. */
  readonly stale?: true;
  /** A session has changed. */
  readonly changed?: true;
}

/** A batch is tried again when a name or session changed meanwhile; they do not change this often. */
const MAX_ATTEMPTS = 20;

export interface PayContext {
  readonly assetId: number;
  readonly directory: Directory;
  readonly sessions: KnownSessions;
}

/** Applies a batch in one statement, one outcome each, in order. The ids are distinct. */
export async function payUsers(
  connection: DedicatedConnection,
  context: PayContext,
  commands: readonly PayCommand[],
): Promise<PayOutcome[]> {
  const { assetId, directory, sessions } = context;
  if (commands.length === 0) return [];
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const resolved = await directory.resolve(connection, commands);
    if (commands.some(({ caller }) => caller?.isChanged)) return recheckSessions(connection, context, commands);
    // No await between the check above and reading the epoch: all these sessions are valid at this epoch.
    const epoch = commands.some(({ caller }) => caller) ? sessions.epoch! : null;
    const [row] = await pay(connection, commands, encodeBatch(epoch, assetId, commands, resolved));
    const exceptions = row![2] === '{}' ? undefined : (JSON.parse(row![2]!) as Exceptions & Outdated);
    if (exceptions?.changed) await sessions.catchUp(connection);
    else if (exceptions?.stale) await directory.resolve(connection, [UNKNOWN]);
    else return decode(commands, resolved, row![0]!, row![1]!, exceptions);
  }
  throw new Error('names or sessions change faster than a batch can be paid');
}

/**
 * A payment with a fixed receiver id answers the request for money that has its id. A payment with an account key is a batch
 * of its own.
 */
async function pay(
  connection: DedicatedConnection,
  commands: readonly PayCommand[],
  values: (string | null)[],
): Promise<TextRow[]> {
  const requests = commands.filter(({ receiverId }) => receiverId !== undefined);
  const ids = `{${requests.map(({ paymentId }) => paymentId).join(',')}}`;
  const key = commands[0]!.accountKey;
  // Without the epoch of sessions, the first two values.
  if (key) return connection.run(PAY_WITH_KEY, [key.keyId, key.client, encodeNotes(commands), ids, ...values.slice(2)]);
  if (commands.some(({ note }) => note !== undefined)) {
    return connection.run(PAY_WITH_NOTES, [encodeNotes(commands), ids, ...values]);
  }
  return requests.length === 0 ? connection.run(PAY_USERS, values) : connection.run(PAY_REQUESTS, [ids, ...values]);
}

/** Returns the outcome that a payment would have now. Nothing is paid; the caller's session was checked before. */
export async function previewPayment(
  connection: DedicatedConnection,
  { assetId, directory }: PayContext,
  command: PayCommand,
): Promise<PaymentPreview> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    // Outside the preview's own transaction: an account that is opened for it stays, as it does for a payment.
    const resolved = await directory.resolve(connection, [command]);
    const [row] = await connection.run(PREVIEW_PAYMENT, encodeBatch(null, assetId, [command], resolved));
    const exceptions = row![2] === '{}' ? undefined : (JSON.parse(row![2]!) as Exceptions & Outdated);
    if (exceptions?.stale) {
      await directory.resolve(connection, [UNKNOWN]);
      continue;
    }
    const [{ result }] = decode([command], resolved, row![0]!, row![1]!, exceptions) as [PayOutcome];
    if (result === 'mismatch') throw new Error(`the new id ${command.paymentId} was used before`);
    if (result.outcome === 'refused') return result;
    return { ...result, limits: parseLimits(JSON.parse(row![3]!) as LimitsText) };
  }
  throw new Error('names change faster than a payment can be previewed');
}

/** Looks up changed sessions again, refuses the payments of those that have ended and pays the others. */
async function recheckSessions(
  connection: DedicatedConnection,
  context: PayContext,
  commands: readonly PayCommand[],
): Promise<PayOutcome[]> {
  const changed = commands.flatMap(({ caller }) => (caller?.isChanged ? caller.accessToken : []));
  const answers = (await findCallers(connection, context.sessions, changed)).values();
  const callers = commands.map(({ caller }) => (caller?.isChanged ? answers.next().value! : caller));
  const allowed = commands.flatMap((command, i) => {
    const caller = callers[i];
    return typeof caller === 'string' ? [] : [{ ...command, caller }];
  });
  const outcomes = (await payUsers(connection, context, allowed)).values();
  return callers.map((caller): PayOutcome => {
    if (typeof caller !== 'string') return outcomes.next().value!;
    return { before: false, result: { outcome: 'refused', code: 'auth.invalid', details: { reason: caller } } };
  });
}

/** No user has this id, so the directory cannot cache it: a lookup reads the current epoch. */
const UNKNOWN: PartiesAsked = { senderId: '00000000-0000-0000-0000-000000000000', receiver: undefined };

function decode(
  commands: readonly PayCommand[],
  { senders, receivers }: Resolved,
  atText: string,
  availableText: string,
  exceptions: Exceptions | undefined,
): PayOutcome[] {
  const atMs = Number.parseInt(atText, 10);
  const available = availableText.slice(1, -1).split(',');
  return commands.map((command, i) => {
    const exception = exceptions?.[i + 1];
    if (exception) return decodeException(command, exception);
    const { receiverText, note = null } = command;
    const to = receivers[i]!.username!;
    const typed = to === receiverText ? null : receiverText;
    const from = senders[i]!.username;
    return {
      before: false,
      result: { outcome: 'paid', available: BigInt(available[i]!), atMs, from, to, typed, note },
    };
  });
}

function decodeException(command: PayCommand, exception: Exception): PayOutcome {
  if (exception.old === undefined) {
    return { before: false, result: { outcome: 'refused', code: exception.code, details: exception.details } };
  }
  if (!exception.same || !isSameNote(command, exception)) return { before: true, result: 'mismatch' };
  if (exception.old === 'refused') {
    return { before: true, result: { outcome: 'refused', code: exception.code, details: exception.details } };
  }
  const { available, at_ms: atMs, from, to, typed, note = null } = exception;
  return { before: true, result: { outcome: 'paid', available: BigInt(available), atMs, from, to, typed, note } };
}

/** A removed note cannot be compared; only that there was one. The note of a request belongs to its asker. */
function isSameNote({ note, receiverId }: PayCommand, { note: stored }: Decided): boolean {
  if (receiverId !== undefined) return true;
  return stored === null ? note !== undefined : stored === note;
}
