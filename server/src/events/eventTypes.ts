/**
 * `events` publishes what has happened: the feed, streams and webhooks. It reads rows that lower modules have
 * committed, in one order, and never writes those rows. It owns `webhook_endpoints`, `webhook_secrets` and
 * `webhook_deliveries`. `http` and `bin` call it.
 *
 * Start with `docs/decisions/0031-events.md`, then read `sql/functions/events/read_events.sql`, `feedPosition`,
 * `readFeed`, `openFollower` and `streamEvents`.
 */
import { PayError } from '../core/errors.ts';
import { PAYOUT_STATES } from '../payments/payouts/payout.ts';
import { paymentStates } from '../payments/state.ts';

const REQUEST_STATES = ['open', 'paid', 'declined', 'cancelled', 'expired'];
const KYC_STATUSES = ['none', 'started', 'pending', 'needs_input', 'approved', 'rejected', 'revoked'];

const PASSKEY_EVENTS = ['added', 'removed', 'rule_changed', 'removal_begun', 'removal_ended'];

/** Every event type: its subject and the state that the subject has reached. */
export const EVENT_TYPES: readonly string[] = [
  ...Object.keys(paymentStates).map((state) => `payment.${state.toLowerCase()}`),
  'deposit.complete',
  'refund.complete',
  'correction.complete',
  'debt.complete',
  ...REQUEST_STATES.map((state) => `request.${state}`),
  ...KYC_STATUSES.map((status) => `kyc.${status}`),
  ...PAYOUT_STATES.map((state) => `payout.${state}`),
  'key.created',
  'key.revoked',
  ...PASSKEY_EVENTS.map((what) => `passkey.${what}`),
];

/** Parses a comma-separated list, for example `payment.complete,deposit.*`. */
export function parseTypes(text: string): readonly string[] {
  const types = text.split(',').flatMap((part) => {
    const wanted = part.trim();
    const found = wanted.endsWith('.*')
      ? EVENT_TYPES.filter((type) => type.startsWith(wanted.slice(0, -1)))
      : EVENT_TYPES.filter((type) => type === wanted);
    if (found.length === 0) throw new PayError('event.unknown_type', { event_type: wanted.slice(0, 40) });
    return found;
  });
  return [...new Set(types)];
}
