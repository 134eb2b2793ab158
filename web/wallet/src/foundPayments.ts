/** The payments of this person that fit a search, newest first. */
import type { BackendTypes } from '@florin/client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { history } from './history.ts';
import { type Period, toQuery } from './money/periods.ts';
import { dropSession, florin, isSessionOver, session } from './session.ts';
import { useStore } from './store.ts';

type Listed = BackendTypes['schemas']['ListedTransaction'];
type Query = NonNullable<Parameters<typeof florin.history>[0]>;

export interface Search {
  readonly text: string;
  readonly direction: 'all' | 'in' | 'out';
  readonly period: Period;
}

interface Found {
  readonly rows: readonly Listed[];
  /** Null: there are no more. Undefined: nothing was read yet. */
  readonly next: string | null | undefined;
  readonly error?: unknown;
}

/** As the service is asked. An amount may be typed with a comma. */
export function toHistoryQuery({ text, direction, period }: Search): Query {
  const search = text.trim().replace(/^(\d+),(\d{1,6})$/, '$1.$2');
  return {
    ...toQuery(period),
    ...(direction !== 'all' && { direction }),
    ...(search !== '' && { search }),
  };
}

const PAGE = 25;
/** A pause in typing, after which the service is asked. */
const PATIENCE_MS = 300;

async function readPage(search: Search, cursor: string | undefined, signal: AbortSignal) {
  const now = session.get();
  if (now.is !== 'in' || now.user.username === null) throw new Error('no one is logged in');
  return florin.call(
    'latest_transactions_by_username',
    {
      path: { username: now.user.username },
      query: { limit: PAGE, ...toHistoryQuery(search), ...(cursor !== undefined && { cursor }) },
    },
    { signal },
  );
}

/** A new search ends the one before; a new payment repeats it. */
export function useFound(search: Search): Found & { readonly more: () => void } {
  const [found, setFound] = useState<Found>({ rows: [], next: undefined });
  const newest = useStore(history).rows[0];
  const reading = useRef<AbortController | null>(null);
  const key = JSON.stringify(search);

  const startReading = () => {
    const started = new AbortController();
    reading.current = started;
    return started;
  };

  const read = useCallback(
    async (known: Found) => {
      reading.current?.abort();
      const { signal } = startReading();
      try {
        const page = await readPage(search, known.next ?? undefined, signal);
        if (!signal.aborted) setFound({ rows: [...known.rows, ...page.transactions], next: page.next_cursor });
      } catch (error) {
        if (signal.aborted) return;
        if (isSessionOver(error)) dropSession();
        else setFound({ ...known, error });
      }
    },
    [key],
  );

  useEffect(() => {
    setFound({ rows: [], next: undefined });
    const timer = setTimeout(() => void read({ rows: [], next: undefined }), search.text === '' ? 0 : PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      reading.current?.abort();
    };
  }, [read]);

  // Without removing what is on the screen.
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) void read({ rows: [], next: undefined });
    isFirst.current = false;
  }, [newest]);

  return { ...found, more: () => void read({ rows: found.rows, next: found.next }) };
}
