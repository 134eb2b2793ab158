/**
 * A store for browsers, in IndexedDB: what one tab has saved is what every tab reads from then on. `localStorage` does
 * not promise that. Another tab may read the old session for a moment, exchange its refresh token a second time, and so
 * end the session.
 */
import type { Session, SessionStore } from './keepSession.ts';

/** What we need of IndexedDB: these names exist in browsers only. */
interface Asked<T> {
  readonly result: T;
  readonly error: Error | null;
  onsuccess: (() => void) | null;
  onerror: (() => void) | null;
}

interface Place {
  get(key: string): Asked<unknown>;
  put(value: unknown, key: string): unknown;
  delete(key: string): unknown;
}

interface Transaction {
  readonly error: Error | null;
  objectStore(name: string): Place;
  oncomplete: (() => void) | null;
  onabort: (() => void) | null;
}

interface Opened {
  createObjectStore(name: string): unknown;
  transaction(names: string, mode: 'readonly' | 'readwrite'): Transaction;
}

interface Databases {
  open(name: string, version: number): Asked<Opened> & { onupgradeneeded: (() => void) | null };
}

const PLACE = 'session';
const KEY = 'current';

/** One session per site and name. */
export function createBrowserStore(name = 'florin'): SessionStore {
  let opened: Promise<Opened> | undefined;
  const open = (): Promise<Opened> => {
    opened ??= openDatabase(name).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    async load() {
      const place = (await open()).transaction(PLACE, 'readonly').objectStore(PLACE);
      return (await answerOf(place.get(KEY))) as Session | undefined;
    },
    async save(session) {
      const transaction = (await open()).transaction(PLACE, 'readwrite');
      const place = transaction.objectStore(PLACE);
      if (session) place.put(session, KEY);
      else place.delete(KEY);
      await new Promise<void>((done, fail) => {
        transaction.oncomplete = () => done();
        transaction.onabort = () => fail(transaction.error);
      });
    },
  };
}

function openDatabase(name: string): Promise<Opened> {
  const { indexedDB } = globalThis as { indexedDB?: Databases };
  if (!indexedDB) throw new Error('There is no IndexedDB here: this store is for browsers.');
  const asked = indexedDB.open(name, 1);
  asked.onupgradeneeded = () => void asked.result.createObjectStore(PLACE);
  return answerOf(asked);
}

const answerOf = <T>(asked: Asked<T>): Promise<T> =>
  new Promise((done, fail) => {
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => fail(asked.error);
  });
