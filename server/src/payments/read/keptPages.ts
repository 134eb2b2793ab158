import type { Line } from './plainPayment.ts';

/** The newest payments in one account of a person, newest first. */
export interface KeptPage {
  readonly accountId: string;
  readonly lines: readonly Line[];
  /** There is nothing below them. */
  readonly isAll: boolean;
}

/** About 36 kB each. */
const MAX_PEOPLE = 2_000;
const MAX_LINES = 51;

/**
 * The first pages of the people who were asked for last. A page is shown only after the database has said that its newest
 * payment is still there, and together with what has come since.
 */
export interface KeptPages {
  /** A page that has enough payments for this limit. */
  find(userId: string, limit: number): KeptPage | undefined;
  keep(userId: string, page: KeptPage): void;
  clear(): void;
}

export function createKeptPages(): KeptPages {
  const pages = new Map<string, KeptPage>();
  return {
    find(userId, limit) {
      const page = pages.get(userId);
      return page && (page.isAll || page.lines.length > limit) ? page : undefined;
    },
    keep(userId, page) {
      // Deleted and inserted: the first in the map is the one that was not asked for the longest.
      pages.delete(userId);
      if (page.lines.length === 0) return;
      if (pages.size >= MAX_PEOPLE) pages.delete(pages.keys().next().value!);
      const isCut = page.lines.length > MAX_LINES;
      pages.set(userId, isCut ? { ...page, lines: page.lines.slice(0, MAX_LINES), isAll: false } : page);
    },
    clear: () => pages.clear(),
  };
}
