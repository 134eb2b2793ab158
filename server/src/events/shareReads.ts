/**
 * Reads by id. Callers that ask for the same id share one read, as long as it has not begun: a read that is under way may
 * have missed what a caller has heard since. At most `most` reads run at once, whatever the number of callers.
 */
export function shareReads<T>(read: (id: string) => Promise<T>, most: number): (id: string) => Promise<T> {
  const waiting = new Map<string, Promise<T>>();
  const queue: (() => void)[] = [];
  let running = 0;

  async function takeTurn(): Promise<void> {
    if (running === most) await new Promise<void>((resolve) => queue.push(resolve));
    else running++;
  }

  function endTurn(): void {
    const next = queue.shift();
    if (next) next();
    else running--;
  }

  return (id) => {
    const shared = waiting.get(id);
    if (shared) return shared;
    const reading = takeTurn().then(() => {
      waiting.delete(id);
      return read(id).finally(endTurn);
    });
    waiting.set(id, reading);
    return reading;
  };
}
