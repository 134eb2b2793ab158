import type { TimelineStep } from '../../core/payment.ts';

/** The conditions that a payment to an address waits for before its coins are reserved, and its approvals so far. */
export interface Waits {
  readonly approvalsNeeded: number;
  /** When operators approved it, oldest first. Customers do not see who they are. */
  readonly approvedAt: readonly Date[];
  /** Set if the wallet has never paid this address and the configuration delays first payments. */
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
