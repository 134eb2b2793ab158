import { PayError } from '../../core/errors.ts';
import { createKnownSessions, type KnownSessions } from '../../customers/sessions/knownSessions.ts';
import { createBatcher } from '../../db/createBatcher.ts';
import type { Queryable } from '../../db/database.ts';
import { isConflict } from '../../db/isConflict.ts';
import { type Lane, openLane, type Statement, type TextRow } from '../../db/openLane.ts';
import { type Epoch, isSameEpoch, seeEpoch } from '../../ledger/epoch.ts';
import { findPayments } from './findPayment.ts';
import { createKeptPages, type HistoryPage, type KeptPage, type KeptPages } from './keptPages.ts';
import { createKnownNames, type KnownNames, type NamedPerson } from './knownNames.ts';
import { availableAfter, isSend, type Line, listParties, toLine, toPlain } from './plainPayment.ts';
import { bottomOf, cutPage, DUST, type HistoryPosition, SCANNED_ENTRIES } from './readPayments.ts';
import { forgetRenamed, keyOf, type Memory, type PageAsked, type Recalled, recallPages } from './recallPages.ts';

/** Pages of history without filters; all that are asked for at once are read in one statement. */
export interface History {
  /** Undefined: no such person, or not a name of the caller's. Shows everything that was committed before the call. */
  read(asked: PageAsked): Promise<HistoryPage | undefined>;
  close(): Promise<void>;
}

const READ_PAGES: Statement = {
  name: 'history_pages',
  text: 'SELECT * FROM history_pages($1, $2, $3, $4, $5, $6, $7, $8, $9)',
};

const LANES = 2;
/** A page of 50 payments is 6 kB from PostgreSQL. */
const MAX_BATCH = 32;
const MAX_ATTEMPTS = 20;

interface HistoryOptions {
  readonly databaseUrl: string;
  readonly db: Queryable;
  /** The callers' sessions. */
  readonly sessions?: KnownSessions;
}

export function openHistory({ databaseUrl, db, sessions = createKnownSessions() }: HistoryOptions): History {
  const open = () => openLane(databaseUrl, { applicationName: 'florin-history' });
  const recallLane = open();
  const lanes = Array.from({ length: LANES }, open);
  const memory: Memory = { known: createKnownNames(), kept: createKeptPages(), sessions, generation: 0 };
  const recaller = createBatcher<PageAsked, Recalled>({
    lanes: 1,
    isConflict,
    // Do not retry: this decides whether the caller may read at all, and the client is told at once that it is unknown.
    giveUpAfterMs: 0,
    run: (_, asked) => recallPages(recallLane, memory, asked),
  });
  const reader = createBatcher<PageAsked, HistoryPage | undefined>({
    lanes: LANES,
    maxBatch: MAX_BATCH,
    isConflict,
    run: (lane, asked) => readPages(lanes[lane]!, db, memory, asked),
  });
  return {
    async read(asked) {
      if (asked.caller || !asked.after) {
        const { refused, page } = await recaller.submit(asked);
        if (refused !== undefined) throw new PayError('auth.invalid', { reason: refused });
        if (page) return page;
      }
      return reader.submit(asked);
    },
    async close() {
      await recaller.close();
      await reader.close();
      await Promise.all([recallLane, ...lanes].map((lane) => lane.close()));
    },
  };
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

async function readPages(
  lane: Lane,
  db: Queryable,
  memory: Memory,
  asked: readonly PageAsked[],
): Promise<(HistoryPage | undefined)[]> {
  const { known, kept } = memory;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const names = await lookUp(lane, known, asked);
    forgetRenamed(memory);
    const found = asked.flatMap((one, i) => {
      const person = names.findPerson(keyOf(one));
      return person ? [{ ...one, i, person, page: one.after ? undefined : kept.find(person.userId, one.limit) }] : [];
    });
    if (found.length === 0) return asked.map(() => undefined);
    const rows = await lane.run(READ_PAGES, encodePages(found));
    // Names have changed since they were remembered.
    if (!isSameEpoch(names.epoch, seeEpoch(rows[0]![1]!, rows[0]![2]!))) {
      await known.read(lane, { names: new Set(), userIds: new Set(), accountIds: new Set() });
      continue;
    }
    const answers: (HistoryPage | undefined)[] = asked.map(() => undefined);
    const changed = readAccounts(rows, found).flatMap((read, nth) => {
      const one = found[nth]!;
      answers[one.i] = findShown(one, read);
      return answers[one.i] ? [] : [{ ...one, before: one.page?.shown?.page, read, ...cutPage(read, one.limit) }];
    });
    const lines = changed.flatMap(({ page }) => page.filter(({ payment }) => !payment));
    if (!(await names.learn(lines))) continue;
    const sends = lines.flatMap((line) => (isSend(line) ? line.paymentId : []));
    const sent = sends.length > 0 ? await findPayments(db, sends) : undefined;
    for (const { i, person, after, limit, read, page, next, before } of changed) {
      const isKept = !after && known.epoch === names.epoch;
      if (isKept) for (const { rows } of read) fixPayments(known, rows);
      const payments = page.map((line) => {
        const send = sent?.get(line.paymentId);
        return (
          line.payment ?? (send ? { ...send, availableAfter: availableAfter(line) } : toPlain(line, names.findName))
        );
      });
      const shown: HistoryPage = { username: person.username, payments, next, before };
      answers[i] = shown;
      if (isKept) keepPage(kept, person.userId, read, { limit, page: shown });
    }
    return answers;
  }
  throw new Error('names change faster than a page of history can be read');
}

/** What was shown the last time, if nothing has come since. */
function findShown({ page, limit }: Found, read: readonly ReadAccount[]): HistoryPage | undefined {
  const { shown, lines } = page ?? {};
  const [only] = read;
  if (shown?.limit !== limit || read.length !== 1 || only!.rows !== lines) return undefined;
  // Where a page that is not full ends depends on how many entries have come, also on those that are not shown.
  return lines.length > limit || only!.bottom === 1n ? shown.page : undefined;
}

interface Found extends PageAsked {
  readonly person: NamedPerson;
  readonly page: KeptPage | undefined;
}

/** The parameters of `history_pages`. */
function encodePages(found: readonly Found[]): string[] {
  const list = (read: (one: Found) => string | number | bigint | undefined) =>
    `{${found.map((one) => read(one) ?? 'NULL').join(',')}}`;
  return [
    list(({ person }) => person.userId),
    JSON.stringify(found.map(({ after }) => renderPosition(after))),
    list(({ limit }) => limit),
    String(SCANNED_ENTRIES),
    String(DUST),
    list(({ page }) => page?.accountId),
    list(({ page }) => page?.lines[0]?.entry),
    list(({ page }) => page?.lines[0]?.seq),
    list(({ page }) => page?.lines[0]?.paymentId),
  ];
}

/** What a payment says never changes while names do not. Somebody without a name may take one, and sends are not final. */
function fixPayments(known: KnownNames, lines: readonly Line[]): void {
  for (const line of lines) {
    if (line.payment || isSend(line) || !listParties(line).every((id) => known.findName(id))) continue;
    line.payment = toPlain(line, known.findName);
    line.members = [];
  }
}

/** Keeps the account with the most payments on the page: people pay each other in one asset. */
function keepPage(
  kept: KeptPages,
  userId: string,
  read: readonly ReadAccount[],
  shown: NonNullable<KeptPage['shown']>,
): void {
  const [most] = [...read].sort((a, b) => b.rows.length - a.rows.length);
  if (!most) return;
  const isFixed = read.length === 1 && most.rows.slice(0, shown.limit).every(({ payment }) => payment);
  const { accountId, rows: lines, isAll } = most;
  kept.keep(userId, { accountId, lines, isAll, ...(isFixed && { shown }) });
}

/**
 * The names that a batch needs, all of one epoch. They are copied from what is remembered, which another batch may clear
 * at any time; what was read for this batch alone is forgotten with it.
 */
async function lookUp(lane: Lane, known: KnownNames, asked: readonly PageAsked[]) {
  const names = new Map<string, string | null>();
  let search = startSearch(known.epoch);
  for (;;) {
    // A name was changed meanwhile: those who were known before may not be known now.
    if (search.epoch !== known.epoch) search = startSearch(known.epoch);
    for (const key of asked.map(keyOf)) {
      const person = known.findPerson(key);
      if (person) search.people.set(key, person);
    }
    const open = asked.filter((one) => !search.people.has(keyOf(one)) && !search.tried.has(keyOf(one)));
    if (search.epoch !== undefined && open.length === 0) break;
    const read = await known.read(lane, {
      names: new Set(open.flatMap(({ caller, name }) => (caller ? [] : name))),
      userIds: new Set(open.flatMap(({ caller }) => caller?.userId ?? [])),
      accountIds: new Set(),
    });
    if (!isSameEpoch(known.epoch, read.epoch)) continue;
    if (search.epoch !== known.epoch) search = startSearch(known.epoch);
    for (const one of open) search.tried.add(keyOf(one));
    for (const [key, person] of read.people) search.people.set(key, person);
  }
  const { epoch, people } = search;
  return {
    epoch,
    findPerson: (key: string): NamedPerson | undefined => people.get(key),
    findName: (accountId: string): string | null | undefined => names.get(accountId),
    /** Reads the names of everybody on these lines. False: names have changed meanwhile. */
    async learn(lines: readonly Line[]): Promise<boolean> {
      if (known.epoch !== epoch) return false;
      const accountIds = new Set<string>();
      for (const id of lines.flatMap(listParties)) {
        const name = known.findName(id);
        if (name === undefined) accountIds.add(id);
        else names.set(id, name);
      }
      if (accountIds.size === 0) return true;
      const read = await known.read(lane, { names: new Set(), userIds: new Set(), accountIds });
      for (const [id, name] of read.names) names.set(id, name);
      return isSameEpoch(epoch, read.epoch);
    },
  };
}

/** What one batch has asked for and found in an epoch. */
const startSearch = (epoch: Epoch | undefined) => ({
  epoch,
  tried: new Set<string>(),
  people: new Map<string, NamedPerson>(),
});

/** Per page, what was read of each account, with what was kept of it. */
function readAccounts(rows: readonly TextRow[], found: readonly Found[]): ReadAccount[][] {
  const read: ReadAccount[][] = found.map(() => []);
  for (const [nthText, , , accountId, assetId, blockchain, topText, isKnown, text] of rows) {
    if (accountId == null) continue;
    const nth = Number.parseInt(nthText!, 10) - 1;
    const { page, limit } = found[nth]!;
    const top = BigInt(topText!);
    const fresh = text ? text.split('\n').map((line) => toLine(line, blockchain!)) : [];
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

const renderPosition = (after: HistoryPosition | undefined) =>
  after ? Object.fromEntries([...after].map(([assetId, entry]) => [assetId, String(entry)])) : null;
