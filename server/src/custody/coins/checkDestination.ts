import type { Chain, Hex } from '../../core/ports.ts';
import { createBatcher } from '../../db/createBatcher.ts';

interface Refusal {
  readonly isPaused: boolean;
  readonly isBlacklisted: boolean;
}

interface DestinationCheck {
  /**
   * Returns the token's current refusal; undefined when the chain does not answer in time. The worker asks again
   * anyway.
   */
  check(destination: Hex): Promise<Refusal | undefined>;
}

const LIMIT_MS = 1_000;

const late = (): Promise<undefined> => new Promise((resolve) => setTimeout(resolve, LIMIT_MS, undefined).unref());

/**
 * Batches concurrent checks into one call to the chain. The check only avoids a certain failure and decides nothing
 * else.
 */
export function checkDestination(chain: Chain, token: Hex): DestinationCheck {
  const batcher = createBatcher<Hex, Refusal | undefined>({
    // Few concurrent calls: most of a call's cost does not depend on the number of destinations.
    concurrency: 2,
    isConflict: () => false,
    run: async (_, destinations) => {
      const answer = await Promise.race([chain.readRefusals(token, destinations).catch(() => undefined), late()]);
      return destinations.map(
        (_, i) => answer && { isPaused: answer.isPaused, isBlacklisted: answer.blacklisted[i] === true },
      );
    },
  });
  // A check that waits for the previous call also ends in time.
  return { check: (destination) => Promise.race([batcher.submit(destination), late()]) };
}
