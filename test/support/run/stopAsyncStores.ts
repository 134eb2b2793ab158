/**
 * In Node 20, an `AsyncLocalStorage` that was used once makes every later promise of its process slower, for good: the
 * sandbox's issuer and Playwright each have one. Test files of one worker share these modules, so each file begins with all
 * of them stopped. Their next use starts them again. Later versions of Node have no such cost, and nothing to stop.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

interface Store {
  _enable?(): void;
  disable(): void;
}

const used = new Set<Store>();
const store: Store = AsyncLocalStorage.prototype;
const enable = store._enable;
if (enable)
  store._enable = function (this: Store) {
    used.add(this);
    return enable.call(this);
  };

export function stopAsyncStores(): void {
  for (const one of used) one.disable();
  used.clear();
}
