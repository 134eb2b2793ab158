/** Answers that callers ask us to hold with `Prefer: wait`. */
export interface HeldAnswers {
  /**
   * Returns a function that ends the hold; undefined if this caller, or all callers together, have reached the limit.
   */
  begin(caller: string): (() => void) | undefined;
}

interface HeldLimits {
  readonly caller: number;
  readonly all: number;
}

/**
 * Limits of one process. A client that waits for several payments holds a few answers; the other connections stay
 * available.
 */
const LIMITS: HeldLimits = { caller: 32, all: 4_000 };

export function limitHeldAnswers(limits: HeldLimits = LIMITS): HeldAnswers {
  const held = new Map<string, number>();
  let all = 0;
  return {
    begin(caller) {
      const count = held.get(caller) ?? 0;
      if (count >= limits.caller || all >= limits.all) return undefined;
      held.set(caller, count + 1);
      all++;
      return () => {
        all--;
        const left = held.get(caller)! - 1;
        if (left === 0) held.delete(caller);
        else held.set(caller, left);
      };
    },
  };
}
