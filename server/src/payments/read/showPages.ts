import type { Queryable } from '../../db/database.ts';
import type { TextRow } from '../../db/openDedicatedConnection.ts';
import type { PageNames } from './findNames.ts';
import { findPayments } from './findPayment.ts';
import type { NameCache, NamedPerson } from './nameCache.ts';
import type { Memory, PageAsked } from './pageAsked.ts';
import type { CachedPage, HistoryPage, PageCache } from './pageCache.ts';
import { availableAfter, isSend, type Line, listParties, toLine, toPlain } from './plainPayment.ts';
import { bottomOf, cutPage } from './readPayments.ts';

/** A page of a known person, with its cached part. */
export interface FoundPage extends PageAsked {
  readonly person: NamedPerson;
  readonly page: CachedPage | undefined;
}

/** The rows of one account on a page. */
interface ReadAccount {
  readonly accountId: string;
  readonly assetId: number;
  readonly top: bigint;
  readonly bottom: bigint;
  readonly rows: readonly Line[];
  /** There is nothing below these rows. */
  readonly isAll: boolean;
}

/**
 * The current pages, built from the result of `history_pages` (`rows`) and the cache. Undefined: names have changed
 * meanwhile.
 */
export async function showPages(
  db: Queryable,
  { known, kept }: Memory,
  names: PageNames,
  found: readonly FoundPage[],
  rows: readonly TextRow[],
): Promise<HistoryPage[] | undefined> {
  const pages = readAccounts(rows, found).map((read, nth) => {
    const one = found[nth]!;
    return { ...one, before: one.page?.shown?.page, read, shown: findShown(one, read), ...cutPage(read, one.limit) };
  });
  const lines = pages.flatMap(({ shown, page }) => (shown ? [] : page.filter(({ payment }) => !payment)));
  if (!(await names.remember(lines))) return undefined;
  const sends = lines.flatMap((line) => (isSend(line) ? line.paymentId : []));
  const sent = sends.length > 0 ? await findPayments(db, sends) : undefined;
  return pages.map(({ person, after, limit, read, page, next, shown, before }) => {
    if (shown) return shown;
    const isKept = !after && known.epoch === names.epoch;
    if (isKept) for (const { rows } of read) fixPayments(known, rows);
    const payments = page.map((line) => {
      const send = sent?.get(line.paymentId);
      return line.payment ?? (send ? { ...send, availableAfter: availableAfter(line) } : toPlain(line, names.findName));
    });
    const now: HistoryPage = { username: person.username, payments, next, before };
    if (isKept) keepPage(kept, person.userId, read, { limit, page: now });
    return now;
  });
}

/** The page as it was last shown, if nothing is new. */
function findShown({ page, limit }: FoundPage, read: readonly ReadAccount[]): HistoryPage | undefined {
  const { shown, lines } = page ?? {};
  const [only] = read;
  if (shown?.limit !== limit || read.length !== 1 || only!.rows !== lines) return undefined;
  // Where an incomplete page ends depends on how many entries are new, including those that are not shown.
  return lines.length > limit || only!.bottom === 1n ? shown.page : undefined;
}

/**
 * A payment stays the same while names do not change. A person without a name may take one, and sends are not final.
 */
function fixPayments(known: NameCache, lines: readonly Line[]): void {
  for (const line of lines) {
    if (line.payment || isSend(line) || !listParties(line).every((id) => known.findName(id) != null)) continue;
    line.payment = toPlain(line, known.findName);
    line.members = [];
  }
}

/** Caches the account with the most payments on the page, because people pay each other in one asset. */
function keepPage(
  kept: PageCache,
  userId: string,
  read: readonly ReadAccount[],
  shown: NonNullable<CachedPage['shown']>,
): void {
  const [most] = [...read].sort((a, b) => b.rows.length - a.rows.length);
  if (!most) return;
  const isFixed = read.length === 1 && most.rows.slice(0, shown.limit).every(({ payment }) => payment);
  const { accountId, rows: lines, isAll } = most;
  kept.keep(userId, { accountId, lines, isAll, ...(isFixed && { shown }) });
}

/** Per page, the rows read from each account, joined with its cached part. */
function readAccounts(rows: readonly TextRow[], found: readonly FoundPage[]): ReadAccount[][] {
  const read: ReadAccount[][] = found.map(() => []);
  for (const [nthText, , , accountId, assetId, blockchain, topText, isKnown, text] of rows) {
    if (accountId == null) continue;
    const nth = Number.parseInt(nthText!, 10) - 1;
    const { page, limit } = found[nth]!;
    const top = BigInt(topText!);
    const fresh = text ? text.split('\n').map((line) => toLine(line, blockchain!, accountId)) : [];
    // If the new payments fill a whole page, there may be more of them between these and the cached ones.
    const isJoined = isKnown === 't' && page !== undefined && fresh.length <= limit;
    const bottom = bottomOf(top);
    const lines = isJoined ? join(fresh, page.lines, bottom) : fresh;
    read[nth]!.push({
      accountId,
      assetId: Number.parseInt(assetId!, 10),
      top,
      bottom,
      rows: lines,
      isAll: bottom === 1n && (isJoined ? page.isAll : fresh.length <= limit),
    });
  }
  return read;
}

/** A joined page shows no more than a page read alone: cached rows below `bottom` come on the next page. */
function join(fresh: readonly Line[], kept: readonly Line[], bottom: bigint): readonly Line[] {
  const isWhole = kept.every(({ entry }) => entry >= bottom);
  if (isWhole && fresh.length === 0) return kept;
  return [...fresh, ...kept.filter(({ entry }) => entry >= bottom)];
}
