/**
 * A store for browsers, in IndexedDB: once one tab has saved a session, every tab reads that session. `localStorage`
 * does not guarantee this: another tab may read the old session for a moment, exchange its refresh token a second time,
 * and so end the session.
 */
import type { Session, SessionStore } from './keepSession.ts';

/** The parts of IndexedDB that we need: these types exist only in browsers. */
interface Asked<T> {
  readonly result: T;
  readonly error: Error | null;
  onsuccess: (() => void) | null;
  onerror: (() => void) | null;
}

interface ObjectStore {
  get(key: string): Asked<unknown>;
  put(value: unknown, key: string): unknown;
  delete(key: string): unknown;
}

interface Transaction {
  readonly error: Error | null;
  objectStore(name: string): ObjectStore;
  oncomplete: (() => void) | null;
  onabort: (() => void) | null;
}

interface Opened {
  createObjectStore(name: string): unknown;
  transaction(names: string, mode: 'readonly' | 'readwrite'): Transaction;
  close(): void;
  onclose: (() => void) | null;
  onversionchange: (() => void) | null;
}

interface Databases {
  open(name: string, version: number): Asked<Opened> & { onupgradeneeded: (() => void) | null };
}

const PLACE = 'session';
const KEY = 'current';

/**
 * One session per site and service. In browsers that store nothing (some private windows), the session lasts until the
 * page is left.
 */
export function createBrowserStore(baseUrl: string): SessionStore {
  let opened: Promise<Opened | undefined> | undefined;
  let inMemory: Session | undefined;

  /** Opened again after the browser or the person has deleted site data. */
  const open = (): Promise<Opened | undefined> => {
    opened ??= openDatabase(`florin-session ${baseUrl}`, () => {
      opened = undefined;
    }).catch(() => undefined);
    return opened;
  };

  return {
    async load() {
      const database = await open();
      if (!database) return inMemory;
      const place = database.transaction(PLACE, 'readonly').objectStore(PLACE);
      return (await answerOf(place.get(KEY))) as Session | undefined;
    },
    async save(session) {
      inMemory = session;
      const transaction = (await open())?.transaction(PLACE, 'readwrite');
      if (!transaction) return;
      const place = transaction.objectStore(PLACE);
      if (session) place.put(session, KEY);
      else place.delete(KEY);
      await new Promise<void>((done, fail) => {
        transaction.oncomplete = () => done();
        transaction.onabort = () => fail(transaction.error ?? new Error('The browser did not save the session.'));
      });
    },
  };
}

async function openDatabase(name: string, onClosed: () => void): Promise<Opened> {
  const { indexedDB } = globalThis as { indexedDB?: Databases };
  if (!indexedDB) throw new Error('IndexedDB is not available.');
  const asked = indexedDB.open(name, 1);
  asked.onupgradeneeded = () => void asked.result.createObjectStore(PLACE);
  const database = await answerOf(asked);
  database.onclose = onClosed;
  // Another page deletes the database: close it, so that the deletion can proceed.
  database.onversionchange = () => {
    database.close();
    onClosed();
  };
  return database;
}

const answerOf = <T>(asked: Asked<T>): Promise<T> =>
  new Promise((done, fail) => {
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => fail(asked.error);
  });
