import { PayError } from '../../core/errors.ts';
import type { KycNotice } from '../../core/ports.ts';
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

/** Overtaken by a later question: ask again, but not for ever. */
const ROUNDS = 3;

/**
 * Asks the provider now, keeps what it says, and answers. When the provider is away, what is known is answered, and
 * that it may be out of date.
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
  return getKyc(app, userId);
}

/** Undefined when the provider did not tell. */
async function ask(app: KycApp, question: Question): Promise<KycFinding | undefined> {
  if (!app.kyc) return undefined;
  const answer = await app.kyc.getStatus(question);
  if (answer.outcome === 'accepted') return answer;
  if (answer.outcome === 'rejected' && answer.reason === 'gone') return 'gone';
  app.warn(answer.outcome === 'unknown' ? answer.cause : new Error('the provider refused to tell'), 'kyc: no status');
  return undefined;
}

async function getKyc(app: KycApp, userId: string): Promise<KycState> {
  const state = await findKyc(app.db, userId);
  if (!state) throw new PayError('user.unknown');
  return state;
}

/**
 * The stored status of whoever has this address. A caller with a credential learns only about their own: their address
 * is looked up, not the one that was sent, so that a known and an unknown one take the same time and get one answer.
 */
export async function readKycOfEmail(app: KycApp, callerId: string | undefined, address: string): Promise<KycState> {
  const email = address.trim().toLowerCase();
  if (callerId !== undefined) {
    if ((await findEmailOf(app.db, callerId)) !== email) throw new PayError('auth.forbidden');
    return getKyc(app, callerId);
  }
  // PostgreSQL has no text with a NUL in it; nobody has such an address either.
  const state = email.includes('\0') ? undefined : await findKycByEmail(app.db, email);
  if (!state) throw new PayError('user.unknown');
  return state;
}

/**
 * A message from the provider says only that something happened. Twice, late or out of order, it makes us ask for what
 * is true now. When that fails we say so, and the provider sends the message again.
 */
export async function hearKycNotice(app: KycApp, notice: KycNotice): Promise<void> {
  const userId = notice.applicantId && (await findUserOfApplicant(app.db, notice.applicantId));
  if (!userId) return;
  const { stale } = await checkKyc(app, userId);
  if (stale) throw new PayError('service.unavailable', { dependency: 'kyc' });
}
