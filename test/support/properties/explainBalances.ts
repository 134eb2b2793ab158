/**
 * Property (b): every balance is explained. For every person, the history contains each entry of their accounts exactly
 * once, each row explains its change of the balance, and the rows sum to the balance. CSV, export, event feed and
 * overview agree with the history.
 *
 * Call it while no payments run: it reads in many statements.
 */
import { formatUsdc } from '../../../server/src/core/money.ts';
import type { Queryable } from '../../../server/src/db/database.ts';
import { settleFeed } from '../database/settleFeed.ts';
import type { Answer } from '../http/answer.ts';
import { openRandom, type Random } from '../prove/random.ts';
import { compareFeed } from './compareFeed.ts';
import { compareListings } from './compareListings.ts';
import { openReadings, type Readings } from './openReadings.ts';
import { type LedgerPayment, listPeople, type PersonInLedger, readLedger } from './readLedger.ts';
import { type Row, readRows, sumRows } from './readRows.ts';

interface ExplainedWorld {
  readonly db: Queryable;
  /** If given, pages from the cache and the overview are compared too. */
  readonly databaseUrl?: string;
}

export interface ExplainOptions {
  /** Chooses page sizes. Default: a new one for each call; every fault names it. */
  readonly seed?: number;
  /** Calls the Backend API, with the person's credentials where necessary. */
  readonly ask?: (path: string, headers: Record<string, string>, person: PersonInLedger) => Promise<Answer>;
}

/** Returns each unexplained fact in words; an empty list means no fault. */
export async function explainBalances(world: ExplainedWorld, options: ExplainOptions = {}): Promise<string[]> {
  const { seed = Math.floor(Math.random() * 2 ** 31), ask } = options;
  const random = openRandom(seed);
  await settleFeed(world.db);
  const people = await listPeople(world.db);
  const { payments, faults } = await readLedger(world.db, people);
  const readings = world.databaseUrl === undefined ? undefined : await openReadings(world.db, world.databaseUrl);
  try {
    for (const person of people) {
      const own = payments.get(person.userId) ?? [];
      const found = await explainPerson({ db: world.db, random, readings, ask }, person, own);
      faults.push(...found.map((fault) => `${person.username ?? person.userId}: ${fault}`));
    }
  } finally {
    await readings?.close();
  }
  return faults.map((fault) => `${fault} (seed ${seed})`);
}

interface Means {
  readonly db: Queryable;
  readonly random: Random;
  readonly readings: Readings | undefined;
  readonly ask: ExplainOptions['ask'];
}

async function explainPerson(means: Means, person: PersonInLedger, own: readonly LedgerPayment[]): Promise<string[]> {
  const { db, random, readings, ask } = means;
  const nextSize = () => pageSize(random, own.length);
  const rows = await readRows(db, person.userId, nextSize());
  return [
    ...compareEntries(rows, own, person),
    ...compareSums(rows, person),
    ...(await compareListings({ db, readings, ask, nextSize }, person, rows)),
    ...(await compareFeed(db, person, rows, nextSize())),
    ...((await readings?.compareOverview(person)) ?? []),
  ];
}

/**
 * Small pages find the most faults, but a long history has at most some dozens of them; sometimes one page has
 * everything.
 */
const pageSize = (random: Random, rows: number): number =>
  random.chance(0.2) ? 200 : Math.min(200, Math.max(1 + random.int(12), Math.ceil(rows / 40)));

/** Each payment of the ledger is one row, and the row states its effect on the balance. */
function compareEntries(rows: readonly Row[], own: readonly LedgerPayment[], person: PersonInLedger): string[] {
  const faults: string[] = [];
  const byId = new Map<string, Row[]>();
  for (const row of rows) byId.set(row.transaction_id, [...(byId.get(row.transaction_id) ?? []), row]);
  for (const payment of own) {
    const found = byId.get(payment.id) ?? [];
    byId.delete(payment.id);
    const name = `${payment.kind} ${payment.id}`;
    if (found.length !== 1) faults.push(`the history shows ${name} ${found.length} times`);
    else faults.push(...explainRow(found[0]!, payment, person).map((fault) => `${name}: ${fault}`));
  }
  return [...faults, ...[...byId.keys()].map((id) => `the history shows ${id}, which no account has`)];
}

function explainRow(row: Row, payment: LedgerPayment, { username }: PersonInLedger): string[] {
  const faults: string[] = [];
  const shown = effectOf(row, username);
  if (shown !== undefined && shown !== payment.change)
    faults.push(`the row says ${formatUsdc(shown)}, and the balance changed by ${formatUsdc(payment.change)}`);
  if (row.available_after !== formatUsdc(payment.availableAfter))
    faults.push(`the row leaves ${row.available_after}, the ledger ${formatUsdc(payment.availableAfter)}`);
  if (payment.held !== (isOpen(row) ? row.units : 0n))
    faults.push(`it is ${row.state}, and ${formatUsdc(payment.held)} is held`);
  if (payment.kind === 'internal' && !row.timeline.some(({ note }) => note)) faults.push('nothing explains it');
  return faults;
}

const VOID = ['FAILED', 'DENIED', 'CANCELLED'];
const isOpen = (row: Row): boolean => row.state !== 'COMPLETE' && !VOID.includes(row.state);

/** The change of the balance that the row shows; undefined for a person without a name, whose side no row shows. */
function effectOf(row: Row, username: string | null): bigint | undefined {
  if (VOID.includes(row.state)) return 0n;
  if (row.kind === 'deposit') return row.units;
  if (row.kind === 'chain') return -row.units;
  if (row.kind !== 'user') return 'address' in row.from ? row.units : -row.units;
  if (username === null) return undefined;
  return row.from.username === username ? -row.units : row.to.username === username ? row.units : 0n;
}

/** Only from the content of the rows. */
function compareSums(rows: readonly Row[], { balances, username }: PersonInLedger): string[] {
  if (rows.some((row) => effectOf(row, username) === undefined)) return [];
  const available = sumRows(rows, (row) => effectOf(row, username)!);
  const held = sumRows(rows, (row) => (isOpen(row) ? row.units : 0n));
  return balances.flatMap((balance) => {
    const [sum, open] = [available.get(balance.blockchain) ?? 0n, held.get(balance.blockchain) ?? 0n];
    if (sum === balance.available && open === balance.held) return [];
    return `on ${balance.blockchain} the rows sum to ${formatUsdc(sum)} and ${formatUsdc(open)} held, the balance is ${formatUsdc(balance.available)} and ${formatUsdc(balance.held)} held`;
  });
}
