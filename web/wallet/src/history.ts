/** The payments of this person, newest first: one page at a time, and the newest again after a change. */
import type { BackendTypes } from '@florin/client';
import { dropSession, florin, isSessionOver, session } from './session.ts';
import { createStore } from './store.ts';

type Listed = BackendTypes['schemas']['ListedTransaction'];

interface History {
  readonly rows: readonly Listed[];
  /** Null: there are no more. Undefined: nothing was read yet. */
  readonly next: string | null | undefined;
  readonly error?: unknown;
}

const PAGE = 25;
export const history = createStore<History>({ rows: [], next: undefined });
let underWay: Promise<void> | undefined;
let isStale = false;
let wantsMore = false;

async function readPage(cursor: string | undefined) {
  const now = session.get();
  if (now.is !== 'in' || now.user.username === null) return undefined;
  return florin.call('latest_transactions_by_username', {
    path: { username: now.user.username },
    query: { limit: PAGE, ...(cursor && { cursor }) },
  });
}

/** One page at a time: two answers must not be mixed. */
function inTurn(work: () => Promise<void>): Promise<void> {
  underWay ??= work()
    .catch((error: unknown) => {
      if (isSessionOver(error)) dropSession();
      else history.set({ ...history.get(), error });
    })
    .finally(() => {
      underWay = undefined;
      if (isStale) {
        isStale = false;
        void refreshHistory();
      } else if (wantsMore) {
        wantsMore = false;
        void readMore();
      }
    });
  return underWay;
}

/** Unchanged payments stay the same object, so that their rows are not drawn again. */
const keepSame = (known: Listed | undefined, read: Listed): Listed =>
  known && JSON.stringify(known) === JSON.stringify(read) ? known : read;

export function refreshHistory(): Promise<void> {
  if (underWay) {
    isStale = true;
    return underWay;
  }
  return inTurn(async () => {
    const page = await readPage(undefined);
    if (!page) return;
    const { rows, next } = history.get();
    const known = new Map(rows.map((one) => [one.transaction_id, one]));
    const newest = page.transactions.map((one) => keepSame(known.get(one.transaction_id), one));
    const fresh = new Set(newest.map((one) => one.transaction_id));
    const older = rows.filter((one) => !fresh.has(one.transaction_id));
    const oldest = newest.at(-1);
    // More has changed than fits on a page, so the known payments no longer connect to it.
    const isConnected = rows.some((one) => fresh.has(one.transaction_id)) || page.next_cursor === null;
    if (!isConnected || !oldest) history.set({ rows: newest, next: page.next_cursor });
    else {
      const isWhole = older.length === 0;
      history.set({ rows: [...newest, ...older], next: isWhole ? page.next_cursor : (next ?? null) });
    }
  });
}

export function readMore(): Promise<void> {
  const { next } = history.get();
  if (!next) return Promise.resolve();
  if (underWay) {
    // Nothing else triggers a read while the end of the list stays on the screen.
    wantsMore = true;
    return underWay;
  }
  return inTurn(async () => {
    const page = await readPage(next);
    if (!page) return;
    const { rows } = history.get();
    const known = new Set(rows.map((one) => one.transaction_id));
    history.set({
      rows: [...rows, ...page.transactions.filter((one) => !known.has(one.transaction_id))],
      next: page.next_cursor,
    });
  });
}
