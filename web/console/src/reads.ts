/** Reads of screens: by path, shown from memory at once, and read again while somebody looks at them. */
import { useEffect, useRef } from 'react';
import { refresh, useResource } from '../../wallet/src/resource.ts';
import { get } from './api.ts';
import { facts } from './facts.ts';

/** Lists and figures are read again this often. */
export const OFTEN_MS = 5_000;
export const SELDOM_MS = 15_000;

/** When somebody last touched the page: a forgotten tab must not keep a session open. */
let touchedAt = Date.now();
const touch = (): void => {
  touchedAt = Date.now();
};
for (const event of ['keydown', 'pointerdown', 'pointermove', 'wheel', 'touchstart'])
  addEventListener(event, touch, { passive: true });

const isWatched = (): boolean =>
  document.visibilityState === 'visible' && Date.now() - touchedAt < facts.idle_seconds * 1000;

export interface Shown<T> {
  readonly data?: T | undefined;
  readonly error?: unknown;
  readonly at?: number | undefined;
  /** The data of another page or filter, until this one's arrives. */
  readonly isOld: boolean;
  readonly again: () => void;
}

/** Reads the paths that end a poll: the next read is one that nobody asked for. */
const polled = new Set<string>();

async function load<T>(path: string): Promise<T> {
  const isPoll = polled.delete(path);
  return get<T>(path, isPoll);
}

export function useRead<T>(path: string, everyMs?: number): Shown<T> {
  const read = useResource<T>(path, () => load<T>(path));
  const last = useRef<T | undefined>(undefined);
  useEffect(() => {
    if (read.data !== undefined) last.current = read.data;
  }, [read.data]);
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => {
      if (!isWatched()) return;
      polled.add(path);
      refresh(path);
    }, everyMs);
    return () => clearInterval(timer);
  }, [path, everyMs]);
  const again = () => refresh(path);
  return {
    data: read.data ?? last.current,
    error: read.error,
    at: read.at,
    isOld: read.data === undefined && last.current !== undefined,
    again,
  };
}
