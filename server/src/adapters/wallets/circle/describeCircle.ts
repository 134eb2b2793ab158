import type { ProviderFault } from '../../../core/providers.ts';
import { CircleFault } from './circleFault.ts';

/** Describes a fault between this signer and Circle; undefined for any other error. Never shows a key. */
export function describeCircle(error: unknown): ProviderFault | undefined {
  let fault: unknown = error;
  while (fault instanceof Error && !(fault instanceof CircleFault)) fault = fault.cause;
  if (!(fault instanceof CircleFault)) return undefined;
  const says = fault.message;
  if (fault.isOurs)
    return {
      says,
      fix: 'correct FLORIN_CIRCLE_API_KEY, FLORIN_CIRCLE_ENTITY_SECRET or FLORIN_CIRCLE_WALLET_SET (docs/guides/circle.md)',
      isLasting: true,
    };
  if (fault.isFinal) return { says, fix: 'see docs/guides/circle.md for what Circle needs', isLasting: true };
  return {
    says,
    fix: 'make FLORIN_CIRCLE_URL reachable from the signer; signing waits until then',
    isLasting: false,
  };
}
