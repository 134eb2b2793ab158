import type { FeedEvent } from '../../events/readFeed.ts';
import type { Subject } from '../../events/readSubjects.ts';
import { renderKyc } from '../backend/kyc.ts';
import { renderPayout } from '../payouts/renderPayout.ts';
import { renderAccountKey } from './renderAccountKey.ts';
import { renderPasskeys } from './renderPasskeys.ts';
import { renderPayment, withoutNote } from './renderPayment.ts';
import { renderRequest } from './renderRequest.ts';
import { renderTime } from './renderTime.ts';

/** A person, or a service that may read notes or not. */
type Viewer = { readonly userId: string } | { readonly hasNotes: boolean };

/** The event as one of its people sees it, without the ids of other people, or as a service sees it. */
export function renderEvent({ place, type, at, people, subject }: FeedEvent, viewer: Viewer) {
  const userId = 'userId' in viewer ? viewer.userId : undefined;
  return {
    id: place.cursor,
    type,
    at: renderTime(at.getTime()),
    transaction_id: 'payment' in subject ? subject.payment.paymentId : null,
    request_id: 'request' in subject ? subject.request.requestId : null,
    ...('payout' in subject && { payout_id: subject.payout.payoutId }),
    ...('key' in subject && { key_id: subject.key.keyId }),
    user_ids: userId === undefined ? people : [userId],
    object: renderSubject('hasNotes' in viewer && !viewer.hasNotes ? hideNotes(subject) : subject, userId),
  };
}

function hideNotes(subject: Subject): Subject {
  if ('payment' in subject) return { payment: withoutNote(subject.payment) };
  return 'request' in subject ? { request: { ...subject.request, note: null } } : subject;
}

function renderSubject(subject: Subject, userId: string | undefined) {
  if ('payment' in subject) return renderPayment(subject.payment);
  if ('kyc' in subject) return renderKyc(subject.kyc);
  if ('payout' in subject) return renderPayout(subject.payout);
  if ('key' in subject) return renderAccountKey(subject.key);
  if ('passkeys' in subject) return renderPasskeys(subject.passkeys);
  return renderRequest(subject.request, userId ?? subject.request.askerId);
}
