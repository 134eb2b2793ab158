/** The audit log only grows, and each entry names an actor in whose name this login may act. */
import type { Row } from '../recorder.ts';
import { changesOf, type Deed, type Law } from './law.ts';

function mayWrite({ actor, action, details }: Row, deed: Deed): boolean {
  const own = `service:${deed.login}`;
  switch (deed.actor) {
    case 'server':
      // People and keys act through servers; `provider`: the result of an identity check.
      return /^(user|key|provider):/.test(actor!) || actor === own;
    case 'worker': {
      // Payout rows are sent in the name of the payout's key.
      const payment = deed.after.find('payments', (JSON.parse(details ?? '{}') as { payment_id?: string }).payment_id);
      const isPayout = action === 'payment.accepted' && payment?.key_id != null && actor === `key:${payment.key_id}`;
      return actor!.startsWith('service:') || isPayout;
    }
    case 'signer':
      return actor === own;
    case 'admin':
    case 'risk':
    case 'support':
      // `service`: any login that notices a restore records it.
      return actor === `operator:${deed.login}` || (actor === own && action === 'database.restored');
    default:
      return false;
  }
}

export const audit: Law = (deed) =>
  changesOf(deed, 'audit_log').flatMap(({ before, after }) => {
    if (before) return [`an entry of the audit log was ${after ? 'changed' : 'removed'}`];
    return mayWrite(after!, deed) ? [] : [`the audit log says that ${after!.actor} did "${after!.action}"`];
  });
