import type { ProviderTransfer } from '../../../core/providerSays.ts';

type Known = Pick<ProviderTransfer, 'state' | 'error' | 'isStuck'>;

/** Circle's states, including those from older pages of its documentation. Any other state is unknown to us. */
const STATES: Readonly<Record<string, ProviderTransfer['state']>> = {
  INITIATED: 'submitted',
  PENDING_RISK_SCREENING: 'submitted',
  WAITING: 'submitted',
  CLEARED: 'submitted',
  QUEUED: 'submitted',
  SENT: 'sent',
  ACCELERATED: 'sent',
  STUCK: 'sent',
  CONFIRMED: 'sent',
  COMPLETE: 'done',
  COMPLETED: 'done',
  FAILED: 'failed',
  DENIED: 'failed',
  CANCELLED: 'cancelled',
  CANCELED: 'cancelled',
};

/** Our texts for payers. Circle's own texts are for operators, on its console. */
const REASONS: Readonly<Record<string, string>> = {
  INSUFFICIENT_TOKEN: 'the wallet had too few coins',
  INSUFFICIENT_NATIVE_TOKEN: "the wallet could not pay the chain's fee",
  ESTIMATION_ERROR: 'the token would refuse it',
  TRANSACTION_REVERTED: 'the token refused it',
};

/** Undefined: an unknown state. */
export function readState(word: string, reason: string | undefined): Known | undefined {
  const state = STATES[word.toUpperCase()];
  if (!state) return undefined;
  const error = state !== 'failed' ? undefined : word === 'DENIED' ? 'Circle denied it' : findReason(reason);
  return { state, error, isStuck: word.toUpperCase() === 'STUCK' };
}

const findReason = (reason = ''): string | undefined =>
  REASONS[reason] ?? (/^[A-Z][A-Z_]{2,60}$/.test(reason) ? reason.toLowerCase().replaceAll('_', ' ') : undefined);
