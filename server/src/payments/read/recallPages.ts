import type { KnownCaller, KnownSessions } from '../../customers/sessions/knownSessions.ts';
import { findCallers } from '../../customers/sessions/openCallers.ts';
import type { Lane, Statement } from '../../db/openLane.ts';
import { isSameEpoch, seeEpoch } from '../../ledger/epoch.ts';
import type { HistoryPage, KeptPages } from './keptPages.ts';
import { type KnownNames, ownKey } from './knownNames.ts';
import type { HistoryPosition } from './readPayments.ts';

export interface PageAsked {
  /** Lower-cased, and a possible name. */
  readonly name: string;
  /** Set when people may read only their own history: the name must be one of this person's. A remembered session. */
  readonly caller?: KnownCaller | undefined;
  readonly limit: number;
  readonly after?: HistoryPosition | undefined;
}

/** What a process remembers for pages of history. */
export interface Memory {
  readonly known: KnownNames;
  readonly kept: KeptPages;
  readonly sessions: KnownSessions;
  /** Of the names on the kept pages. */
  generation: number;
}

/** Why the caller's session may not read; or the page, if it is remembered and nothing has come since. */
export interface Recalled {
  readonly refused?: string | undefined;
  readonly page?: HistoryPage;
}

const UNCHANGED_PAGES: Statement = {
  name: 'unchanged_pages',
  text: 'SELECT * FROM unchanged_pages($1, $2, $3, $4, $5)',
};

const MAX_ATTEMPTS = 20;

export const keyOf = ({ caller, name }: PageAsked): string => (caller ? ownKey(caller.userId, name) : name);

export function forgetRenamed(memory: Memory): void {
  if (memory.generation === memory.known.generation) return;
  memory.generation = memory.known.generation;
  memory.kept.clear();
}

/**
 * One statement for all that are asked at once: do the callers' sessions stand, and which remembered pages still show
 * everything that is committed?
 */
export async function recallPages(lane: Lane, memory: Memory, asked: readonly PageAsked[]): Promise<Recalled[]> {
  const { known, sessions } = memory;
  const callers = asked.map(({ caller }) => caller);
  const refusals = new Map<number, string>();
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    await recheckSessions(lane, sessions, callers, refusals);
    // No await between the check above and reading the epochs: these sessions and names are those of the epochs.
    forgetRenamed(memory);
    const [names, since] = [known.epoch, sessions.epoch];
    const pages = findPages(memory, asked, refusals);
    const [row] = await lane.run(UNCHANGED_PAGES, encodePages(pages));
    const [namesCounter, namesRandom, counter, random, unchanged] = row as string[];
    if (callers.some((caller) => caller) && !isSameEpoch(since, seeEpoch(counter!, random!))) {
      await sessions.catchUp(lane);
      continue;
    }
    const recalled = asked.map((_, i): Recalled => ({ refused: refusals.get(i) }));
    // After a new name, the names are read again together with the page.
    if (unchanged === '{}' || !isSameEpoch(names, seeEpoch(namesCounter!, namesRandom!))) return recalled;
    for (const nth of unchanged!.slice(1, -1).split(',')) {
      const { i, page } = pages[Number.parseInt(nth, 10) - 1]!;
      recalled[i] = { page };
    }
    return recalled;
  }
  throw new Error('sessions change faster than a page of history can be read');
}

/** Reads the sessions again that have changed since they were remembered. */
async function recheckSessions(
  lane: Lane,
  sessions: KnownSessions,
  callers: (KnownCaller | undefined)[],
  refusals: Map<number, string>,
): Promise<void> {
  while (callers.some((caller) => caller?.isChanged)) {
    const changed = callers.flatMap((caller, i) => (caller?.isChanged ? [{ i, token: caller.accessToken }] : []));
    const found = await findCallers(
      lane,
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

interface FoundPage {
  readonly i: number;
  readonly page: HistoryPage;
  readonly userId: string;
  readonly accountId: string;
  readonly entry: bigint;
  readonly seq: bigint;
  readonly paymentId: string;
}

/** The pages that were shown before, with the payment that each begins with. */
function findPages(
  { known, kept }: Memory,
  asked: readonly PageAsked[],
  refusals: ReadonlyMap<number, string>,
): FoundPage[] {
  const found: FoundPage[] = [];
  asked.forEach((one, i) => {
    const person = one.after || refusals.has(i) ? undefined : known.findPerson(keyOf(one));
    const page = person && kept.find(person.userId, one.limit);
    if (page?.shown?.limit !== one.limit) return;
    const { entry, seq, paymentId } = page.lines[0]!;
    const { accountId } = page;
    found.push({ i, page: page.shown.page, userId: person!.userId, accountId, entry, seq, paymentId });
  });
  return found;
}

/** The parameters of `unchanged_pages`. */
const encodePages = (pages: readonly FoundPage[]): string[] =>
  (['userId', 'accountId', 'entry', 'seq', 'paymentId'] as const).map(
    (member) => `{${pages.map((page) => page[member]).join(',')}}`,
  );
