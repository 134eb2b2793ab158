import type { TimelineStep } from '../../core/payment.ts';

/** What a payment to an address waits for before its coins are reserved, and which approvals it has. */
export interface Waits {
  readonly approvalsNeeded: number;
  /** When operators approved it, oldest first. Customers do not see who they are. */
  readonly approvedAt: readonly Date[];
  /** Set when a wallet pays this address for the first time and such payments are delayed. */
  readonly notBefore: Date | null;
}

/** The note of `INITIATED`. */
export function describeAcceptance({ approvalsNeeded, notBefore }: Waits): string {
  const reasons = [
    ...(approvalsNeeded > 0 ? [`waits for approval by two operators, 0 of ${approvalsNeeded}`] : []),
    ...(notBefore ? [describeDelay(notBefore)] : []),
  ];
  return `accepted, the amount is held; ${reasons.join('; ') || 'its coins are being reserved'}`;
}

/** The note of `CLEARED`: enough operators have approved it. */
export const describeClearance = ({ notBefore }: Waits, clearedAt: Date): string =>
  notBefore && notBefore > clearedAt
    ? `approved by two operators; ${describeDelay(notBefore)}`
    : 'approved by two operators; its coins are being reserved';

/** One step per approval. */
export const describeApprovals = ({ approvalsNeeded, approvedAt }: Waits): TimelineStep[] =>
  approvedAt.map((at, i) => {
    const count = `${i + 1} of ${approvalsNeeded}`;
    const isLast = i + 1 === approvalsNeeded;
    const note = isLast
      ? `approved by a second operator, ${count}`
      : `approved by an operator; waits for approval by two operators, ${count}`;
    return { state: null, at, txHash: null, note };
  });

const describeDelay = (notBefore: Date): string =>
  `waits until ${notBefore.toISOString()}, because this wallet has never paid this address, and can be cancelled until then`;
