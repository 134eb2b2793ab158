import { isDeepStrictEqual } from 'node:util';
import type { Queryable } from '../../../server/src/db/database.ts';
import { renderStatement } from '../../../server/src/http/answers/renderStatement.ts';
import { exportAccountOperation } from '../../../server/src/http/backend/account.ts';
import type { ApiCall } from '../../../server/src/http/contract/operation.ts';
import type { Answer } from '../http/answer.ts';
import type { Readings } from './openReadings.ts';
import type { PersonInLedger } from './readLedger.ts';
import { type Row, readPages, type ShownTransaction } from './readRows.ts';

interface Means {
  readonly db: Queryable;
  readonly readings: Readings | undefined;
  readonly ask?:
    | ((path: string, headers: Record<string, string>, person: PersonInLedger) => Promise<Answer>)
    | undefined;
  readonly nextSize: () => number;
}

/** All other ways to read a history show the same rows. */
export async function compareListings(means: Means, person: PersonInLedger, rows: readonly Row[]): Promise<string[]> {
  const { db, readings, ask, nextSize } = means;
  const wanted = rows.map(({ units, isDust, ...shown }) => shown);
  const listed = rows.filter(({ isDust }) => !isDust).map(({ units, isDust, ...shown }) => shown);
  const faults: string[] = [];
  const exported = await readExport(db, person.userId);
  faults.push(...compare('the export', exported.transactions, wanted));
  const limit = nextSize();
  const statement: string[] = [];
  for await (const { items } of readPages(db, person.userId, limit, {})) statement.push(renderStatement(items));
  faults.push(...compareStatement(`the CSV with ${limit} rows a page`, statement, listed));
  if (person.username === null) return faults;
  if (readings) {
    const size = nextSize();
    faults.push(...compare(`pages of ${size}`, await readings.readHistory(person.username, size), listed));
  }
  if (ask) faults.push(...(await compareAnswers(ask, person, listed, nextSize())));
  return faults;
}

async function readExport(db: Queryable, userId: string): Promise<{ transactions: ShownTransaction[] }> {
  const call = { caller: { userId } } as unknown as ApiCall;
  let text = '';
  for await (const piece of (await exportAccountOperation({ db })(call)).pieces!) text += piece;
  return JSON.parse(text);
}

/** Through HTTP, as JSON and as CSV. */
async function compareAnswers(
  ask: NonNullable<Means['ask']>,
  person: PersonInLedger,
  listed: readonly ShownTransaction[],
  limit: number,
): Promise<string[]> {
  const first = `/api/v1/latest_transactions_by_username/${person.username}?limit=${limit}`;
  const read = async (accept: string): Promise<Answer[]> => {
    const answers: Answer[] = [];
    for (let path: string | undefined = first; path; ) {
      const answer = await ask(path, { accept }, person);
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
      answers.push(answer);
      path = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    return answers;
  };
  const json = (await read('application/json')).flatMap(({ body }) => body.transactions as ShownTransaction[]);
  const csv = (await read('text/csv')).map(({ body }) => String(body));
  return [
    ...compare(`HTTP with ${limit} a page`, json, listed),
    ...compareStatement(`CSV over HTTP with ${limit} a page`, csv, listed),
  ];
}

const byId = (a: ShownTransaction, b: ShownTransaction): number => (a.transaction_id < b.transaction_id ? -1 : 1);

/** The order of rows of two accounts may depend on the page size; their content may not. */
function compare(name: string, shown: readonly ShownTransaction[], wanted: readonly ShownTransaction[]): string[] {
  if (shown.length !== wanted.length) return [`${name}: ${shown.length} rows instead of ${wanted.length}`];
  const [mine, theirs] = [[...shown].sort(byId), [...wanted].sort(byId)];
  const differs = mine.find((row, i) => !isDeepStrictEqual(row, theirs[i]));
  return differs ? [`${name}: another row is shown as ${JSON.stringify(differs)}`] : [];
}

/** Fields that hold no comma, by the names in the header. */
const FIELDS = ['transaction_id', 'kind', 'state', 'amount', 'blockchain', 'available_after'] as const;

function compareStatement(name: string, pages: readonly string[], wanted: readonly ShownTransaction[]): string[] {
  const lines = pages.flatMap((page) => {
    const [header, ...rest] = page.trim().split('\r\n');
    const names = header!.split(',');
    // Up to `available_after` no field needs quotes.
    return rest.map((line) => FIELDS.map((field) => line.split(',')[names.indexOf(field)]).join());
  });
  const expected = wanted.map((row) => FIELDS.map((field) => row[field]).join());
  return isDeepStrictEqual(lines.sort(), expected.sort()) ? [] : [`${name} differs: ${lines.length} lines`];
}
