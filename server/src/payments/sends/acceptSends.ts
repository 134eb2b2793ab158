import { type ErrorCode, type ErrorDetails, PayError } from '../../core/errors.ts';
import type { Payment } from '../../core/payment.ts';
import { traceOf } from '../../custody/findPaid.ts';
import { askForFunding, FUNDING_REFUSALS } from '../../customers/wallets/findFundingWallet.ts';
import type { Queryable } from '../../db/database.ts';
import type { Stored } from '../../db/idempotency.ts';
import { describeAcceptance } from '../read/describeWaits.ts';
import type { SendCommand, SendDecision, SendRules, SendToAddress } from './sendCommand.ts';

interface DecisionRow {
  readonly outcome: SendDecision['outcome'] | 'untraced';
  readonly details: Stored<string> | { readonly is_listed: boolean } | null;
  readonly wallet_id: string;
  readonly username: string | null;
  readonly accepted_at: Date;
  readonly approvals_needed: number;
  readonly not_before: Date | null;
}

/**
 * Databases that have lost payments which the chain has made. There every send needs its trace, which is a slow hash.
 */
const restored = new WeakSet<Queryable>();

/** Decides a batch in order, in one statement, which is one commit. The ids are distinct. */
export async function acceptSends(
  db: Queryable,
  rules: SendRules,
  commands: readonly SendCommand[],
): Promise<SendDecision[]> {
  const isTraced = restored.has(db);
  const rows = await decideAll(db, rules, commands, isTraced);
  const untraced = commands.filter((_, i) => rows[i]!.outcome === 'untraced');
  if (isTraced || untraced.length === 0) return rows.map((row, i) => decode(commands[i]!, row));
  restored.add(db);
  const traced = (await acceptSends(db, rules, untraced)).values();
  return rows.map((row, i) => (row.outcome === 'untraced' ? traced.next().value! : decode(commands[i]!, row)));
}

function decideAll(
  db: Queryable,
  rules: SendRules,
  commands: readonly SendCommand[],
  isTraced: boolean,
): Promise<DecisionRow[]> {
  return db.query<DecisionRow>('SELECT * FROM accept_sends($1, $2)', [
    encodeRules(rules),
    JSON.stringify(commands.map((command) => encodeSend(command, isTraced))),
  ]);
}

export const encodeRules = (rules: SendRules): string =>
  JSON.stringify({
    threshold: rules.approvalThreshold === undefined ? null : String(rules.approvalThreshold),
    delay: rules.newRecipientDelaySeconds,
    list_age: rules.blacklistSeconds ?? 0,
  });

/** How the sender is shown: in the way the caller identified them. */
const shownOf = ({ walletId, walletUsername, payerId }: SendToAddress): 'username' | 'wallet' =>
  walletId === undefined && (walletUsername ?? payerId) !== undefined ? 'username' : 'wallet';

export function encodeSend(
  { paymentId, request, hash }: SendCommand,
  isTraced: boolean,
): Record<string, string | boolean | null> {
  return {
    id: paymentId,
    caller: request.serviceKeyId ?? null,
    certificate: request.certificate ?? null,
    client: request.client || null,
    asked: !request.isUnchecked,
    hash: hash ? Buffer.from(hash).toString('hex') : null,
    trace: hash && isTraced ? traceOf(paymentId) : null,
    blockchain: request.blockchain,
    currency: request.currency,
    destination: request.destination,
    amount: String(request.amount),
    ...askForFunding(request),
    session: request.sessionId ?? null,
    shown: shownOf(request),
    note: request.note ?? null,
  };
}

function decode(command: SendCommand, row: DecisionRow): SendDecision {
  const { outcome, details } = row;
  if (outcome === 'accepted') return { outcome, payment: toPayment(command, row) };
  if (outcome === 'untraced') throw new Error(`payment ${command.paymentId} was sent with its trace`);
  if (outcome === 'ask') return { outcome, isListed: (details as { is_listed: boolean }).is_listed };
  if (outcome === 'replayed') return { outcome, stored: details as Stored<string> };
  if (outcome === 'refused')
    return { outcome, refusal: toRefusal(details as { code: string; details: ErrorDetails }, command) };
  return { outcome };
}

/** The error codes that the statement may return; the compiler checks that the error table has them. */
const REFUSALS = [
  'auth.invalid',
  'auth.scope',
  'key.not_allowed',
  'key.limit_exceeded',
  ...FUNDING_REFUSALS,
  'payment.self',
  'address.lookalike',
  'service.paused',
  'user.paused',
  'kyc.required',
  'balance.insufficient',
  'limit.exceeded',
  'passkey.required',
] as const satisfies readonly ErrorCode[];

export function toRefusal(
  { code, details }: { code: string; details: ErrorDetails },
  { paymentId, hash }: Partial<Pick<SendCommand, 'paymentId' | 'hash'>> = {},
): PayError {
  const known = REFUSALS.find((one) => one === code);
  if (!known) throw new Error(`a send was refused with ${code}, which is not in REFUSALS`);
  // Without an Idempotency-Key the payment cannot be repeated, so its id is of no use.
  const isRepeatable = known === 'passkey.required' && hash && paymentId;
  return new PayError(known, isRepeatable ? { ...details, payment_id: paymentId } : details);
}

/** The payment in the form in which it would be read back. */
function toPayment({ paymentId, request }: SendCommand, row: DecisionRow): Payment {
  const { accepted_at: at, approvals_needed: approvalsNeeded, not_before: notBefore } = row;
  const note = describeAcceptance({ approvalsNeeded, approvedAt: [], notBefore });
  return {
    paymentId,
    state: 'INITIATED',
    kind: 'chain',
    amount: request.amount,
    blockchain: request.blockchain,
    from: shownOf(request) === 'wallet' ? { walletId: row.wallet_id } : { username: row.username },
    to: { address: request.destination },
    txHash: null,
    networkFee: null,
    errorReason: null,
    createdAt: at,
    updatedAt: at,
    timeline: [{ state: 'INITIATED', at, txHash: null, note }],
    paymentNote: request.note,
  };
}
