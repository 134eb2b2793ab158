import type { Payment } from '../../core/payment.ts';
import type { Line, PlainPayment } from './plainPayment.ts';
import type { HistoryPosition } from './readPayments.ts';

/** The newest payments in one account of a person, newest first. */
export interface CachedPage {
  readonly accountId: string;
  readonly lines: readonly Line[];
  /** There are no older payments. */
  readonly isAll: boolean;
  /** The page as it was last shown, if nothing on it can change until a new payment arrives. */
  shown?: { readonly limit: number; readonly page: HistoryPage };
}

/** A payment to an address, on a page. */
interface ListedSend extends Payment {
  readonly availableAfter: bigint;
}

export interface HistoryPage {
  readonly username: string;
  readonly payments: readonly (PlainPayment | ListedSend)[];
  /** Undefined on the last page. */
  readonly next: HistoryPosition | undefined;
  /** The page before the newest payments arrived. Rendering copies the rest from there. */
  before?: HistoryPage | undefined;
}

/** About 40 kB each, including their text. */
const MAX_PEOPLE = 1_500;
const MAX_LINES = 51;

/**
 * The first pages of the people who were requested last. A page is shown only after the database has confirmed that its
 * newest payment still exists, and together with newer payments.
 */
export interface PageCache {
  /** A page with enough payments for this limit. */
  find(userId: string, limit: number): CachedPage | undefined;
  keep(userId: string, page: CachedPage): void;
  clear(): void;
}

export function createPageCache(): PageCache {
  const pages = new Map<string, CachedPage>();
  return {
    find(userId, limit) {
      const page = pages.get(userId);
      if (!page || !(page.isAll || page.lines.length > limit)) return undefined;
      // Deleted and inserted again, so that the first entry of the map is the least recently used one.
      pages.delete(userId);
      pages.set(userId, page);
      return page;
    },
    keep(userId, page) {
      pages.delete(userId);
      if (page.lines.length === 0) return;
      if (pages.size >= MAX_PEOPLE) pages.delete(pages.keys().next().value!);
      const isCut = page.lines.length > MAX_LINES;
      pages.set(userId, isCut ? { ...page, lines: page.lines.slice(0, MAX_LINES), isAll: false } : page);
    },
    clear: () => pages.clear(),
  };
}
