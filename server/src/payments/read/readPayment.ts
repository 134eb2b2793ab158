import type { Payment, TimelineStep } from '../../core/payment.ts';
import type { MoveStep } from '../../custody/rail.ts';
import { findSettlement, readSteps } from '../../custody/readSteps.ts';
import type { Queryable } from '../../db/database.ts';
import { findPayment } from './findPayment.ts';
import { findWait } from './findWait.ts';
import { readRefunds } from './readRefunds.ts';

/**
 * A payment with its whole timeline: its states, the steps of custody between them, its refunds, and what it waits for
 * now. With a `party`, only payments that this person pays or receives.
 */
export async function readPayment(db: Queryable, paymentId: string, party?: string): Promise<Payment | undefined> {
  const payment = await findPayment(db, paymentId, party);
  if (!payment || (payment.kind !== 'user' && payment.kind !== 'chain')) return payment;
  const steps = [...(await readMoves(db, payment)).map(toStep), ...(await readRefunds(db, payment))];
  const wait = await findWait(db, payment);
  if (steps.length === 0 && !wait) return payment;
  const timeline = [...payment.timeline, ...steps].sort((a, b) => a.at.getTime() - b.at.getTime());
  return { ...payment, timeline: wait ? [...timeline, wait] : timeline };
}

async function readMoves(db: Queryable, { kind, paymentId }: Payment): Promise<readonly MoveStep[]> {
  if (kind === 'chain') return readSteps(db, paymentId);
  const settlement = await findSettlement(db, paymentId);
  return settlement ? [settlement] : [];
}

const toStep = (step: MoveStep): TimelineStep => ({ ...step, state: null });
