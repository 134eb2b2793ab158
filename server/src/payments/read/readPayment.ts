import type { Payment, TimelineStep } from '../../core/payment.ts';
import type { MoveStep } from '../../custody/rail.ts';
import { findSettlement, readSteps } from '../../custody/readSteps.ts';
import type { Queryable } from '../../db/database.ts';
import { findPayment } from './findPayment.ts';
import { readRefunds } from './readRefunds.ts';

/**
 * A payment with its whole timeline: its states, what custody did for it between them, and its refunds. With a `party`,
 * only what this person pays or is paid.
 */
export async function readPayment(db: Queryable, paymentId: string, party?: string): Promise<Payment | undefined> {
  const payment = await findPayment(db, paymentId, party);
  if (!payment || payment.kind === 'deposit') return payment;
  const settlement = payment.kind === 'user' ? await findSettlement(db, paymentId) : undefined;
  const moves = payment.kind === 'chain' ? await readSteps(db, paymentId) : settlement ? [settlement] : [];
  const steps = [...moves.map(toStep), ...(await readRefunds(db, payment))];
  if (steps.length === 0) return payment;
  const timeline = [...payment.timeline, ...steps].sort((a, b) => a.at.getTime() - b.at.getTime());
  return { ...payment, timeline };
}

const toStep = (step: MoveStep): TimelineStep => ({ ...step, state: null });
