import type { KnownCaller, KnownSessions } from '../../customers/sessions/knownSessions.ts';
import { findCallers } from '../../customers/sessions/openCallers.ts';
import type { Queryable } from '../../db/database.ts';
import type { DedicatedConnection, Statement, TextRow } from '../../db/openDedicatedConnection.ts';
import { type Epoch, isSameEpoch, seeEpoch } from '../../ledger/epoch.ts';
import { findNames } from './findNames.ts';
import type { NamedPerson } from './nameCache.ts';
import { forgetRenamed, keyOf, type Memory, type PageAsked } from './pageAsked.ts';
import type { CachedPage, HistoryPage } from './pageCache.ts';
import { DUST, SCANNED_ENTRIES } from './readPayments.ts';
import { showPages } from './showPages.ts';

/** The reason why the caller's session may not read; otherwise the page, if it is cached, with newer payments. */
export interface Revalidated {
  readonly refused?: string | undefined;
  readonly page?: HistoryPage;
}

const REVALIDATE_PAGES: Statement = {
  name: 'revalidate_pages',
  text: 'SELECT * FROM revalidate_pages($1, $2, $3, $4, $5, $6, $7, $8)',
};

const MAX_ATTEMPTS = 20;

/**
 * One statement for all concurrent requests: are the callers' sessions still valid, which cached pages still show
 * everything that is committed, and what is new on the others?
 */
export async function revalidatePages(
  connection: DedicatedConnection,
  db: Queryable,
  memory: Memory,
  asked: readonly PageAsked[],
): Promise<Revalidated[]> {
  const { sessions } = memory;
  const callers = asked.map(({ caller }) => caller);
  const refusals = new Map<number, string>();
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    await recheckSessions(connection, sessions, callers, refusals);
    // No await between the check above and reading the epochs, so these sessions and names belong to these epochs.
    forgetRenamed(memory);
    const [names, since] = [memory.known.epoch, sessions.epoch];
    const pages = findPages(memory, asked, refusals);
    const [head, ...rows] = await connection.run(REVALIDATE_PAGES, encodePages(pages));
    const [, namesCounter, namesRandom, , , , , , , counter, random, unchanged] = head as string[];
    if (callers.some((caller) => caller) && !isSameEpoch(since, seeEpoch(counter!, random!))) {
      await sessions.catchUp(connection);
      continue;
    }
    const recalled = asked.map((_, i): Revalidated => ({ refused: refusals.get(i) }));
    // After a name change, the names are read again together with the page.
    if (pages.length === 0 || !isSameEpoch(names, seeEpoch(namesCounter!, namesRandom!))) return recalled;
    const same = new Set(unchanged === '{}' ? [] : unchanged!.slice(1, -1).split(','));
    const changed: RevalidatedPage[] = [];
    pages.forEach((one, nth) => {
      if (same.has(String(nth + 1))) recalled[one.i] = { page: one.shown };
      else changed.push(one);
    });
    const shown = changed.length > 0 ? await showChanged(connection, db, memory, names!, changed, rows) : [];
    shown?.forEach((page, nth) => {
      recalled[changed[nth]!.i] = { page };
    });
    return recalled;
  }
  throw new Error('sessions change faster than a page of history can be read');
}

/** Undefined: names have changed meanwhile. */
async function showChanged(
  connection: DedicatedConnection,
  db: Queryable,
  memory: Memory,
  epoch: Epoch,
  changed: readonly RevalidatedPage[],
  rows: readonly TextRow[],
): Promise<HistoryPage[] | undefined> {
  const names = await findNames(connection, memory.known, changed);
  return isSameEpoch(names.epoch, epoch) ? showPages(db, memory, names, changed, rows) : undefined;
}

/** Reads sessions again that have changed since they were cached. */
async function recheckSessions(
  connection: DedicatedConnection,
  sessions: KnownSessions,
  callers: (KnownCaller | undefined)[],
  refusals: Map<number, string>,
): Promise<void> {
  while (callers.some((caller) => caller?.isChanged)) {
    const changed = callers.flatMap((caller, i) => (caller?.isChanged ? [{ i, token: caller.accessToken }] : []));
    const found = await findCallers(
      connection,
      sessions,
      changed.map(({ token }) => token),
    );
    changed.forEach(({ i }, nth) => {
      const caller = found[nth]!;
      if (typeof caller === 'string') refusals.set(i, caller);
      callers[i] = typeof caller === 'string' ? undefined : caller;
    });
  }
}

interface RevalidatedPage extends PageAsked {
  /** The index of the request. */
  readonly i: number;
  readonly person: NamedPerson;
  readonly page: CachedPage;
  readonly shown: HistoryPage;
}

/** The pages that are cached. */
function findPages(
  { known, kept }: Memory,
  asked: readonly PageAsked[],
  refusals: ReadonlyMap<number, string>,
): RevalidatedPage[] {
  const found: RevalidatedPage[] = [];
  asked.forEach((one, i) => {
    const person = one.after || refusals.has(i) ? undefined : known.findPerson(keyOf(one));
    const page = person && kept.find(person.userId, one.limit);
    if (page?.shown?.limit === one.limit) found.push({ ...one, i, person: person!, page, shown: page.shown.page });
  });
  return found;
}

/** The parameters of `revalidate_pages`: each page and its first payment. */
function encodePages(pages: readonly RevalidatedPage[]): string[] {
  const list = (read: (one: RevalidatedPage) => string | number | bigint) => `{${pages.map(read).join(',')}}`;
  return [
    list(({ person }) => person.userId),
    list(({ page }) => page.accountId),
    list(({ page }) => page.lines[0]!.entry),
    list(({ page }) => page.lines[0]!.seq),
    list(({ page }) => page.lines[0]!.paymentId),
    list(({ limit }) => limit),
    String(SCANNED_ENTRIES),
    String(DUST),
  ];
}
