import { PayError } from '../../core/errors.ts';
import type { KycNotice } from '../../core/kyc.ts';
import type { Queryable } from '../../db/database.ts';
import {
  findEmailOf,
  findKyc,
  findKycByEmail,
  findUserOfApplicant,
  type KycFinding,
  type KycState,
  markStale,
  numberQuestion,
  type Question,
  storeFinding,
} from './kycChecks.ts';
import type { KycApp } from './startKyc.ts';

/** How often to ask again when a later question was answered first. */
const ROUNDS = 3;

/**
 * Asks the provider, stores its answer and returns it. If the provider cannot be reached, returns the stored status,
 * marked as stale.
 */
export async function checkKyc(app: KycApp, userId: string): Promise<KycState> {
  for (let round = 1; round <= ROUNDS; round++) {
    const question = await numberQuestion(app.db, userId);
    if (!question) break;
    const finding = await ask(app, question);
    if (!finding) {
      await markStale(app.db, question);
      break;
    }
    if (await app.db.tx((tx) => storeFinding(tx, question, finding))) break;
  }
  return getKyc(app.db, userId);
}

/** Returns undefined when the provider gave no usable answer. */
async function ask(app: KycApp, question: Question): Promise<KycFinding | undefined> {
  if (!app.kyc) return undefined;
  const answer = await app.kyc.getStatus(question);
  if (answer.outcome === 'accepted') return answer;
  if (answer.outcome === 'rejected' && answer.reason === 'gone') return 'gone';
  app.warn(
    answer.outcome === 'unknown' ? answer.cause : new Error('the provider refused to report a status'),
    'kyc: no status',
  );
  return undefined;
}

/** Returns the stored status, without asking the provider. */
export async function getKyc(db: Queryable, userId: string): Promise<KycState> {
  const state = await findKyc(db, userId);
  if (!state) throw new PayError('user.unknown');
  return state;
}

/**
 * Returns the stored status of the person with this e-mail address. A logged-in caller may ask only about their own: we
 * look up the caller's address and compare, so known and unknown addresses take the same time and get the same answer.
 */
export async function readKycOfEmail(app: KycApp, callerId: string | undefined, address: string): Promise<KycState> {
  const email = address.trim().toLowerCase();
  if (callerId !== undefined) {
    if ((await findEmailOf(app.db, callerId)) !== email) throw new PayError('auth.forbidden');
    return getKyc(app.db, callerId);
  }
  // PostgreSQL refuses text with a NUL.
  const state = email.includes('\0') ? undefined : await findKycByEmail(app.db, email);
  if (!state) throw new PayError('user.unknown');
  return state;
}

/**
 * The content of a provider's webhook is not used: it only makes us ask for the current status, so repeated, late and
 * reordered messages do no harm. If asking fails, the error makes the provider send the message again.
 */
export async function hearKycNotice(app: KycApp, notice: KycNotice): Promise<void> {
  const userId = notice.applicantId && (await findUserOfApplicant(app.db, notice.applicantId));
  if (!userId) return;
  const { stale } = await checkKyc(app, userId);
  if (stale) throw new PayError('service.unavailable', { dependency: 'kyc' });
}
