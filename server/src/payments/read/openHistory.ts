import type { Payment } from '../../core/payment.ts';
import { createBatcher } from '../../db/createBatcher.ts';
import type { Queryable } from '../../db/database.ts';
import { type Lane, openLane, type Statement, type TextRow } from '../../db/openLane.ts';
import { isSameEpoch, seeEpoch } from '../../ledger/epoch.ts';
import { findPayments } from './findPayment.ts';
import { createKnownNames, type KnownNames, type NamedPerson, ownKey } from './knownNames.ts';
import { bottomOf, cutPage, DUST, type HistoryPosition, SCANNED_ENTRIES } from './readPayments.ts';

export interface PageAsked {
  /** Lower-cased, and a possible name. */
  readonly name: string;
  /** Set when people may read only their own history: the name must be one of this person's. */
  readonly callerId: string | undefined;
  readonly limit: number;
  readonly after?: HistoryPosition | undefined;
}

/** A payment between people or a deposit. There is nothing more to know about it than its transfer says. */
export interface PlainPayment {
  readonly paymentId: string;
  readonly kind: 'user' | 'deposit';
  readonly amount: bigint;
  readonly blockchain: string;
  /** Who paid: a person's name today, or null without one; of a deposit, the address it came from. */
  readonly from: string | null;
  /** Who got it: their name today. */
  readonly to: string | null;
  /** The name that was typed, where it was another one. */
  readonly typed: string | undefined;
  readonly atMs: number;
}

export interface HistoryPage {
  readonly username: string;
  readonly payments: readonly (PlainPayment | Payment)[];
  /** Undefined on the last page. */
  readonly next: HistoryPosition | undefined;
}

/** Pages of history without filters; all that are asked for at once are read in one statement. */
export interface History {
  /** Undefined: no such person, or not a name of the caller's. Shows everything that was committed before the call. */
  read(asked: PageAsked): Promise<HistoryPage | undefined>;
  close(): Promise<void>;
}

const READ_PAGES: Statement = {
  name: 'history_pages',
  text: 'SELECT * FROM history_pages($1, $2, $3, $4, $5)',
};

const LANES = 2;
/** A page of 50 payments is 6 kB from PostgreSQL. */
const MAX_BATCH = 32;
const MAX_ATTEMPTS = 20;

export function openHistory({ databaseUrl, db }: { databaseUrl: string; db: Queryable }): History {
  const lanes = Array.from({ length: LANES }, () => openLane(databaseUrl, { applicationName: 'florin-history' }));
  const known = createKnownNames();
  const batcher = createBatcher<PageAsked, HistoryPage | undefined>({
    lanes: LANES,
    maxBatch: MAX_BATCH,
    isConflict: () => false,
    run: (lane, asked) => readPages(lanes[lane]!, db, known, asked),
  });
  return {
    read: (asked) => batcher.submit(asked),
    async close() {
      await batcher.close();
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}

/** What one account shows on a page, as it was read; names are not known yet. */
interface ReadAccount {
  readonly assetId: number;
  readonly top: bigint;
  readonly bottom: bigint;
  readonly rows: readonly Line[];
}

interface Line {
  readonly entry: bigint;
  readonly seq: bigint;
  readonly members: readonly string[];
  readonly blockchain: string;
}

const keyOf = ({ callerId, name }: PageAsked): string => (callerId === undefined ? name : ownKey(callerId, name));

async function readPages(
  lane: Lane,
  db: Queryable,
  known: KnownNames,
  asked: readonly PageAsked[],
): Promise<(HistoryPage | undefined)[]> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const names = await lookUp(lane, known, asked);
    const people = asked.map((one) => names.findPerson(keyOf(one)));
    const places = asked.flatMap((_, i) => (people[i] ? [i] : []));
    if (places.length === 0) return asked.map(() => undefined);
    const rows = await lane.run(READ_PAGES, [
      `{${places.map((i) => people[i]!.userId).join(',')}}`,
      JSON.stringify(places.map((i) => renderPosition(asked[i]!.after))),
      `{${places.map((i) => asked[i]!.limit).join(',')}}`,
      String(SCANNED_ENTRIES),
      String(DUST),
    ]);
    // Names have changed since they were remembered.
    if (!isSameEpoch(names.epoch, seeEpoch(rows[0]![1]!, rows[0]![2]!))) {
      await known.read(lane, { names: new Set(), userIds: new Set(), accountIds: new Set() });
      continue;
    }
    const read = readAccounts(rows, places.length);
    const pages = places.map((i, nth) => cutPage(read[nth]!, asked[i]!.limit));
    const lines = pages.flatMap(({ page }) => page);
    if (!(await names.learn(lines))) continue;
    const sends = lines.flatMap(({ members }) => (members[KIND] === 'hold' ? members[ID]! : []));
    const sent = sends.length > 0 ? await findPayments(db, sends) : undefined;
    const answers: (HistoryPage | undefined)[] = asked.map(() => undefined);
    for (const [nth, i] of places.entries()) {
      const { page, next } = pages[nth]!;
      const payments = page.map((line) => sent?.get(line.members[ID]!) ?? toPlain(line, names.findName));
      answers[i] = { username: people[i]!.username, payments, next };
    }
    return answers;
  }
  throw new Error('names change faster than a page of history can be read');
}

/** The names that a batch needs. What was read for this batch alone is forgotten with it. */
async function lookUp(lane: Lane, known: KnownNames, asked: readonly PageAsked[]) {
  const unknown = asked.filter((one) => !known.findPerson(keyOf(one)));
  const first =
    unknown.length > 0 || known.epoch === undefined
      ? await known.read(lane, {
          names: new Set(unknown.flatMap(({ callerId, name }) => (callerId === undefined ? name : []))),
          userIds: new Set(unknown.flatMap(({ callerId }) => callerId ?? [])),
          accountIds: new Set(),
        })
      : undefined;
  const epoch = known.epoch;
  let second: Awaited<ReturnType<KnownNames['read']>> | undefined;
  const findName = (accountId: string) => known.findName(accountId) ?? second?.names.get(accountId);
  return {
    epoch,
    findPerson: (key: string): NamedPerson | undefined => known.findPerson(key) ?? first?.people.get(key),
    findName,
    /** Reads the names of everybody on these lines. False: names have changed meanwhile. */
    async learn(lines: readonly Line[]): Promise<boolean> {
      const accountIds = new Set<string>();
      for (const { members } of lines) {
        const isPlain = members[KIND] === 'user';
        for (const id of isPlain ? [members[DEBIT]!, members[CREDIT]!] : [members[CREDIT]!]) {
          if (members[KIND] !== 'hold' && known.findName(id) === undefined) accountIds.add(id);
        }
      }
      if (accountIds.size > 0) second = await known.read(lane, { names: new Set(), userIds: new Set(), accountIds });
      return known.epoch === epoch;
    },
  };
}

/** Per page, what was read of each account. */
function readAccounts(rows: readonly TextRow[], pages: number): ReadAccount[][] {
  const read: ReadAccount[][] = Array.from({ length: pages }, () => []);
  for (const [nth, , , accountId, assetId, blockchain, topText, lines] of rows) {
    if (accountId == null) continue;
    const top = BigInt(topText!);
    read[Number(nth) - 1]!.push({
      assetId: Number(assetId),
      top,
      bottom: bottomOf(top),
      rows: lines ? lines.split('\n').map((line) => toLine(line, blockchain!)) : [],
    });
  }
  return read;
}

/** Places in a line of `history_pages`. */
const [ID, KIND, AMOUNT, AT, DEBIT, CREDIT, TYPED, ADDRESS] = [2, 3, 4, 5, 6, 7, 8, 9] as const;

function toLine(text: string, blockchain: string): Line {
  const members = text.split('\t');
  return { entry: BigInt(members[0]!), seq: BigInt(members[1]!), members, blockchain };
}

function toPlain({ members, blockchain }: Line, findName: (id: string) => string | null | undefined): PlainPayment {
  const to = findName(members[CREDIT]!) ?? null;
  const typed = members[TYPED]!;
  const kind = members[KIND] as PlainPayment['kind'];
  return {
    paymentId: members[ID]!,
    kind,
    amount: BigInt(members[AMOUNT]!),
    blockchain,
    from: kind === 'deposit' ? members[ADDRESS]! || null : (findName(members[DEBIT]!) ?? null),
    to,
    typed: typed === '' || typed === to ? undefined : typed,
    atMs: Number(members[AT]),
  };
}

const renderPosition = (after: HistoryPosition | undefined) =>
  after ? Object.fromEntries([...after].map(([assetId, entry]) => [assetId, String(entry)])) : null;
