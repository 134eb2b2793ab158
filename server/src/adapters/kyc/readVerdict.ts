import type { KycVerdict } from '../../core/kyc.ts';

/** The part of an applicant that we read. We keep no other personal data. */
interface Review {
  readonly levelName?: string | undefined;
  readonly reviewStatus?: string | undefined;
  readonly reviewResult?:
    | {
        readonly reviewAnswer?: string | undefined;
        readonly reviewRejectType?: string | undefined;
        readonly rejectLabels?: readonly string[] | undefined;
        readonly moderationComment?: string | undefined;
      }
    | undefined;
}

const WAITING = { canRetry: false, reasons: [] } as const;

/**
 * Approved means this level, completed, and green. A green answer with `awaitingService` is not final yet, and an
 * unknown status counts as pending.
 */
export function readVerdict(review: Review, level: string): KycVerdict {
  const { reviewStatus, reviewResult: result } = review;
  if (reviewStatus === 'init') return { status: 'started', ...WAITING };
  if (reviewStatus === 'awaitingUser') return { status: 'needs_input', ...WAITING };
  if (reviewStatus === 'completed' && result?.reviewAnswer === 'RED') {
    return { status: 'rejected', canRetry: result.reviewRejectType === 'RETRY', reasons: findReasons(result) };
  }
  if (reviewStatus === 'completed' && result?.reviewAnswer === 'GREEN' && review.levelName === level) {
    return { status: 'approved', ...WAITING };
  }
  return { status: 'pending', ...WAITING };
}

/** Labels that may be explained to the person. */
const SHOWN: Readonly<Record<string, string>> = {
  UNSATISFACTORY_PHOTOS: 'The photos are not clear enough.',
  LOW_QUALITY: 'The photos are not clear enough.',
  SCREENSHOTS: 'Screenshots are not accepted; take a photo of the document itself.',
  BAD_PROOF_OF_IDENTITY: 'The identity document could not be accepted.',
  BAD_PROOF_OF_ADDRESS: 'The proof of address could not be accepted.',
  BAD_PROOF_OF_PAYMENT: 'The proof of payment could not be accepted.',
  BAD_SELFIE: 'The selfie could not be accepted.',
  BAD_VIDEO_SELFIE: 'The video selfie could not be accepted.',
  BAD_FACE_MATCHING: 'The selfie and the document do not show the same person clearly enough.',
  BLACK_AND_WHITE: 'The document has to be in colour.',
  DIGITAL_DOCUMENT: 'A digital copy is not accepted; take a photo of the document itself.',
  DOCUMENT_DAMAGED: 'The document is damaged.',
  DOCUMENT_MISSING: 'A document is missing.',
  DOCUMENT_PAGE_MISSING: 'A page of the document is missing.',
  FRONT_SIDE_MISSING: 'The front side of the document is missing.',
  BACK_SIDE_MISSING: 'The back side of the document is missing.',
  EXPIRATION_DATE: 'The document has expired.',
  ID_INVALID: 'The document is not valid.',
  INCOMPLETE_DOCUMENT: 'The document is not completely visible.',
  INCOMPATIBLE_LANGUAGE: 'The document is in a language that cannot be checked.',
  INCORRECT_SOCIAL_NUMBER: 'The social security number does not fit.',
  PROBLEMATIC_APPLICANT_DATA: 'Some details do not fit the document.',
  UNFILLED_ID: 'The document lacks required details.',
  UNSUPPORTED_LANGUAGE: 'The document is in a language that cannot be checked.',
  WRONG_ADDRESS: 'The address does not fit the document.',
  WRONG_USER_REGION: 'People from this region cannot be accepted.',
  AGE_REQUIREMENT_MISMATCH: 'The age requirement is not met.',
};
const GENERAL = 'The identity could not be verified.';
const MAX_COMMENT_CHARACTERS = 500;

/**
 * Labels outside the list above (sanctions, fraud patterns, watch lists) must not be revealed to the person: if there
 * is one, only the general sentence is shown.
 */
function findReasons(result: NonNullable<Review['reviewResult']>): string[] {
  const sentences = (result.rejectLabels ?? []).map((label) => SHOWN[label]);
  if (sentences.some((sentence) => sentence === undefined)) return [GENERAL];
  // The provider writes `moderationComment` for the applicant. `clientComment` is internal and never read.
  const comment = result.moderationComment?.trim().slice(0, MAX_COMMENT_CHARACTERS);
  const reasons = [...new Set([...(sentences as string[]), ...(comment ? [comment] : [])])];
  return reasons.length > 0 ? reasons : [GENERAL];
}
