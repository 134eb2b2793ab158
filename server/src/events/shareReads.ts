/**
 * Reads by id. Callers of the same id share a read that has not started yet. They do not share a running read, because
 * it may have missed an event that the caller already knows. At most `most` reads run concurrently.
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
