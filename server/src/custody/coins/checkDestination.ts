import type { Chain, Hex } from '../../core/ports.ts';
import { createBatcher } from '../../db/createBatcher.ts';

export interface Refusal {
  readonly isPaused: boolean;
  readonly isBlacklisted: boolean;
}

interface DestinationCheck {
  /** What the token would say now; undefined when the chain does not answer soon. The worker asks again anyway. */
  check(destination: Hex): Promise<Refusal | undefined>;
}

const LIMIT_MS = 1_000;

const late = (): Promise<undefined> => new Promise((resolve) => setTimeout(resolve, LIMIT_MS, undefined).unref());

/** Checks that arrive together are one call of the chain. It spares a sure failure and decides nothing else. */
export function checkDestination(chain: Chain, token: Hex): DestinationCheck {
  const batcher = createBatcher<Hex, Refusal | undefined>({
    // Few calls at a time: most of a call's cost does not depend on how many destinations it asks about.
    lanes: 2,
    isConflict: () => false,
    run: async (_, destinations) => {
      const answer = await Promise.race([chain.readRefusals(token, destinations).catch(() => undefined), late()]);
      return destinations.map(
        (_, i) => answer && { isPaused: answer.isPaused, isBlacklisted: answer.blacklisted[i] === true },
      );
    },
  });
  // Also a check that waits for the call before it ends in time.
  return { check: (destination) => Promise.race([batcher.submit(destination), late()]) };
}
