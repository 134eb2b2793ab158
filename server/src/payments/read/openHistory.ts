import { PayError } from '../../core/errors.ts';
import { createKnownSessions, type KnownSessions } from '../../customers/sessions/knownSessions.ts';
import { createBatcher } from '../../db/createBatcher.ts';
import type { Queryable } from '../../db/database.ts';
import { isConflict } from '../../db/isConflict.ts';
import { type DedicatedConnection, openDedicatedConnection, type Statement } from '../../db/openDedicatedConnection.ts';
import type { OpenReadConnection } from '../../db/standbys/openReads.ts';
import { isSameEpoch, seeEpoch } from '../../ledger/epoch.ts';
import { findNames } from './findNames.ts';
import { createNameCache } from './nameCache.ts';
import { forgetRenamed, keyOf, type Memory, type PageAsked } from './pageAsked.ts';
import { createPageCache, type HistoryPage } from './pageCache.ts';
import { DUST, type HistoryPosition, SCANNED_ENTRIES } from './readPayments.ts';
import { type Revalidated, revalidatePages } from './revalidatePages.ts';
import { type FoundPage, showPages } from './showPages.ts';

/** Pages of history without filters. Concurrent requests are read in one statement. */
export interface History {
  /**
   * Undefined: no such person, or not one of the caller's names. Shows everything that was committed before the call.
   */
  read(asked: PageAsked): Promise<HistoryPage | undefined>;
  close(): Promise<void>;
}

const READ_PAGES: Statement = {
  name: 'history_pages',
  text: 'SELECT * FROM history_pages($1, $2, $3, $4, $5, $6, $7, $8, $9)',
};

const CONNECTIONS = 2;
/** PostgreSQL sends 6 kB for a page of 50 payments. */
const MAX_BATCH = 32;
const MAX_ATTEMPTS = 20;

interface HistoryOptions {
  readonly databaseUrl: string;
  readonly db: Queryable;
  /** The callers' sessions. */
  readonly sessions?: KnownSessions;
  /** Pages that are not cached may be read from a standby. Default: all from the primary. */
  readonly openReadConnection?: OpenReadConnection | undefined;
}

export function openHistory(options: HistoryOptions): History {
  const { databaseUrl, db, sessions = createKnownSessions() } = options;
  const applicationName = 'florin-history';
  const open = () => openDedicatedConnection(databaseUrl, { applicationName });
  const revalidationConnection = open();
  const connections = Array.from(
    { length: CONNECTIONS },
    () => options.openReadConnection?.({ applicationName }) ?? open(),
  );
  const memory: Memory = { known: createNameCache(), kept: createPageCache(), sessions, generation: 0 };
  const recaller = createBatcher<PageAsked, Revalidated>({
    concurrency: 1,
    isConflict,
    run: (_, asked) => revalidatePages(revalidationConnection, db, memory, asked),
  });
  const reader = createBatcher<PageAsked, HistoryPage | undefined>({
    concurrency: CONNECTIONS,
    maxBatch: MAX_BATCH,
    isConflict,
    run: (slot, asked) => readPages(connections[slot]!, db, memory, asked),
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
      await Promise.all([revalidationConnection, ...connections].map((connection) => connection.close()));
    },
  };
}

async function readPages(
  given: DedicatedConnection,
  db: Queryable,
  memory: Memory,
  asked: readonly PageAsked[],
): Promise<(HistoryPage | undefined)[]> {
  const { known, kept } = memory;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    // A standby may be older than the cached names, so it is tried only once.
    const connection = attempt === 1 ? given : (given.primary ?? given);
    const names = await findNames(connection, known, asked);
    forgetRenamed(memory);
    const found = asked.flatMap((one, i) => {
      const person = names.findPerson(keyOf(one));
      return person ? [{ ...one, i, person, page: one.after ? undefined : kept.find(person.userId, one.limit) }] : [];
    });
    if (found.length === 0) return asked.map(() => undefined);
    const rows = await connection.run(READ_PAGES, encodePages(found));
    // Names have changed since they were cached.
    if (!isSameEpoch(names.epoch, seeEpoch(rows[0]![1]!, rows[0]![2]!))) {
      await known.read(connection, { names: new Set(), userIds: new Set(), accountIds: new Set() });
      continue;
    }
    const pages = await showPages(db, memory, names, found, rows);
    if (!pages) continue;
    const answers: (HistoryPage | undefined)[] = asked.map(() => undefined);
    found.forEach(({ i }, nth) => {
      answers[i] = pages[nth];
    });
    return answers;
  }
  throw new Error('names change faster than a page of history can be read');
}

/** The parameters of `history_pages`. */
function encodePages(found: readonly FoundPage[]): string[] {
  const list = (read: (one: FoundPage) => string | number | bigint | undefined) =>
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

const renderPosition = (after: HistoryPosition | undefined) =>
  after ? Object.fromEntries([...after].map(([assetId, entry]) => [assetId, String(entry)])) : null;
