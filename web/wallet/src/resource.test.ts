import { afterAll, expect, it, vi } from 'vitest';
import { follow, put, refresh } from './resource.ts';

// Before the import: the session uses the page's own address.
vi.hoisted(() => void vi.stubGlobal('location', { origin: 'https://wallet.example.com', pathname: '/', search: '' }));
afterAll(() => void vi.unstubAllGlobals());

interface Shown {
  readonly state: string;
  readonly at: number;
}

/** A service whose answers come when the test says so, in any order. */
function openService() {
  const waiting: ((shown: Shown) => void)[] = [];
  return {
    waiting,
    load: () => new Promise<Shown>((answer) => void waiting.push(answer)),
    async answer(nth: number, shown: Shown) {
      waiting[nth]!(shown);
      // The answer passes a few promises before it is stored.
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    },
  };
}

const OLD = { state: 'SENT', at: 1 };
const NEW = { state: 'COMPLETE', at: 2 };

it('an answer that was in flight when an event came does not replace the event', async () => {
  const service = openService();
  const { store, end } = follow('stale 1', service.load);
  put('stale 1', NEW, (known: Shown) => NEW.at < known.at);
  expect(store.get().data).toEqual(NEW);
  await service.answer(0, OLD);
  expect(store.get().data).toEqual(NEW);
  // The old answer is dropped, and the service is asked once more.
  expect(service.waiting).toHaveLength(2);
  await service.answer(1, { ...NEW, at: 3 });
  expect(store.get().data).toEqual({ ...NEW, at: 3 });
  end();
});

it('an event that comes late does not replace a newer answer', async () => {
  const service = openService();
  const { store, end } = follow('stale 2', service.load);
  await service.answer(0, NEW);
  put('stale 2', OLD, (known: Shown) => OLD.at < known.at);
  expect(store.get().data).toEqual(NEW);
  end();
});

it('is read one at a time, and again after a change that the answer may lack', async () => {
  const service = openService();
  const { store, end } = follow('stale 3', service.load);
  refresh('stale 3');
  refresh('stale 3');
  expect(service.waiting).toHaveLength(1);
  await service.answer(0, OLD);
  expect(service.waiting).toHaveLength(2);
  await service.answer(1, NEW);
  expect([store.get().data, service.waiting.length]).toEqual([NEW, 2]);
  end();
});
