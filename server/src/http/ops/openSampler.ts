/** Which traces are sent. */
export interface Sampling {
  /** From 0 to 1. */
  readonly share: number;
  /** A request with a `traceparent` is sent if its caller sends its own spans. */
  readonly followsParent: boolean;
}

/** `isParentSampled`: undefined if the request is not part of a caller's trace. */
type Sampler = (traceId: string, isParentSampled?: boolean) => boolean;

const BITS = 52;

/**
 * A trace is chosen by its id, so all processes choose the same payments. OpenTelemetry compares the last 56 bits, which
 * are random in our payment ids too; a double holds the first 52 of them.
 */
export function openSampler({ share, followsParent }: Sampling): Sampler {
  const from = (1 - share) * 2 ** BITS;
  return (traceId, isParentSampled) =>
    followsParent && isParentSampled !== undefined
      ? isParentSampled
      : Number.parseInt(traceId.slice(-14, -1), 16) >= from;
}
