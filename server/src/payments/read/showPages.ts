import type { Queryable } from '../../db/database.ts';
import type { TextRow } from '../../db/openDedicatedConnection.ts';
import type { PageNames } from './findNames.ts';
import { findPayments } from './findPayment.ts';
import type { NameCache, NamedPerson } from './nameCache.ts';
import type { Memory, PageAsked } from './pageAsked.ts';
import type { CachedPage, HistoryPage, PageCache } from './pageCache.ts';
import { availableAfter, isSend, type Line, listParties, toLine, toPlain } from './plainPayment.ts';
import { bottomOf, cutPage } from './readPayments.ts';

/** A page of somebody who is known, with what is kept of it. */
export interface FoundPage extends PageAsked {
  readonly person: NamedPerson;
  readonly page: CachedPage | undefined;
}

/** What one account shows on a page. */
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
 * The pages as they are now, from what `history_pages` has read (`rows`) and what is kept. Undefined: names have changed
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
  if (!(await names.learn(lines))) return undefined;
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

/** What was shown the last time, if nothing has come since. */
function findShown({ page, limit }: FoundPage, read: readonly ReadAccount[]): HistoryPage | undefined {
  const { shown, lines } = page ?? {};
  const [only] = read;
  if (shown?.limit !== limit || read.length !== 1 || only!.rows !== lines) return undefined;
  // Where a page that is not full ends depends on how many entries have come, also on those that are not shown.
  return lines.length > limit || only!.bottom === 1n ? shown.page : undefined;
}

/** What a payment says never changes while names do not. Somebody without a name may take one, and sends are not final. */
function fixPayments(known: NameCache, lines: readonly Line[]): void {
  for (const line of lines) {
    if (line.payment || isSend(line) || !listParties(line).every((id) => known.findName(id))) continue;
    line.payment = toPlain(line, known.findName);
    line.members = [];
  }
}

/** Keeps the account with the most payments on the page: people pay each other in one asset. */
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

/** Per page, what was read of each account, with what was kept of it. */
function readAccounts(rows: readonly TextRow[], found: readonly FoundPage[]): ReadAccount[][] {
  const read: ReadAccount[][] = found.map(() => []);
  for (const [nthText, , , accountId, assetId, blockchain, topText, isKnown, text] of rows) {
    if (accountId == null) continue;
    const nth = Number.parseInt(nthText!, 10) - 1;
    const { page, limit } = found[nth]!;
    const top = BigInt(topText!);
    const fresh = text ? text.split('\n').map((line) => toLine(line, blockchain!, accountId)) : [];
    // With a whole page of new payments, there may be more of them between these and what was kept.
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

/** No page shows more than one that is read alone: what is kept and is below `bottom` comes on the next one. */
function join(fresh: readonly Line[], kept: readonly Line[], bottom: bigint): readonly Line[] {
  const isWhole = kept.every(({ entry }) => entry >= bottom);
  if (isWhole && fresh.length === 0) return kept;
  return [...fresh, ...kept.filter(({ entry }) => entry >= bottom)];
}
