import type { ReviewResult } from './applicants.ts';

/** A decision that a button of the page makes about an applicant, and the event that Sumsub would send. */
interface Decision {
  readonly label: string;
  readonly reviewStatus: string;
  readonly reviewResult?: ReviewResult;
  readonly event: string;
}

export const decisions = {
  approve: {
    label: 'Approve',
    reviewStatus: 'completed',
    reviewResult: { reviewAnswer: 'GREEN', rejectLabels: [] },
    event: 'applicantReviewed',
  },
  retry: {
    label: 'Ask for better photos',
    reviewStatus: 'completed',
    reviewResult: {
      reviewAnswer: 'RED',
      reviewRejectType: 'RETRY',
      rejectLabels: ['UNSATISFACTORY_PHOTOS'],
      moderationComment: 'Please upload the document again, in colour and with all four corners visible.',
      clientComment: 'Only for the client: corners cut off.',
    },
    event: 'applicantReviewed',
  },
  reject: {
    label: 'Reject for good',
    reviewStatus: 'completed',
    reviewResult: {
      reviewAnswer: 'RED',
      reviewRejectType: 'FINAL',
      rejectLabels: ['FRAUDULENT_PATTERNS'],
      clientComment: 'Only for the client: known fraud pattern.',
    },
    event: 'applicantReviewed',
  },
  submit: { label: 'Documents sent', reviewStatus: 'pending', event: 'applicantPending' },
  hold: { label: 'Put on hold', reviewStatus: 'onHold', event: 'applicantOnHold' },
  ask: { label: 'Ask the person', reviewStatus: 'awaitingUser', event: 'applicantAwaitingUser' },
  service: {
    label: 'Green, but not done',
    reviewStatus: 'awaitingService',
    reviewResult: { reviewAnswer: 'GREEN' },
    event: 'applicantAwaitingService',
  },
  reset: { label: 'Begin again', reviewStatus: 'init', event: 'applicantReset' },
} as const satisfies Record<string, Decision>;

export type DecisionName = keyof typeof decisions;

export const findDecision = (name: string): Decision | undefined =>
  Object.hasOwn(decisions, name) ? decisions[name as DecisionName] : undefined;
