interface Waits {
  wake(names: readonly string[]): void;
  /**
   * Waits until the name is woken, or for this long. Returns true if it was woken. Returns immediately if it was woken
   * since its last rest.
   */
  rest(name: string, ms: number): Promise<boolean>;
}

/** Named waits within this process, with at most one waiter per name. */
export function openWaits(): Waits {
  const resting = new Map<string, (isWoken: boolean) => void>();
  const woken = new Set<string>();
  return {
    wake(names) {
      for (const name of names) {
        const end = resting.get(name);
        if (end) end(true);
        else woken.add(name);
      }
    },
    rest(name, ms) {
      if (woken.delete(name)) return Promise.resolve(true);
      return new Promise((resolve) => {
        const end = (isWoken: boolean) => {
          clearTimeout(timer);
          resting.delete(name);
          resolve(isWoken);
        };
        const timer = setTimeout(() => end(false), Math.max(1, ms));
        resting.set(name, end);
      });
    },
  };
}
