import { PayError } from '../../core/errors.ts';
import { isUsername } from '../../core/isUsername.ts';
import { parseUsdc } from '../../core/money.ts';
import type { PaymentKind, PaymentState } from '../../core/payment.ts';
import type { KnownCaller } from '../../customers/sessions/knownSessions.ts';
import type { Callers } from '../../customers/sessions/openCallers.ts';
import type { Caller } from '../../customers/sessions/sessions.ts';
import { findByUsername, findOwnName, type NamedUser } from '../../customers/usernames/findByUsername.ts';
import type { Queryable } from '../../db/database.ts';
import type { Read } from '../../db/standbys/openReads.ts';
import { parseCursor, renderCursor } from '../../payments/read/historyCursor.ts';
import type { History } from '../../payments/read/openHistory.ts';
import { type HistoryFilter, type HistoryPosition, readPayments } from '../../payments/read/readPayments.ts';
import { printPage } from '../answers/printPage.ts';
import { renderListed } from '../answers/renderPayment.ts';
import { renderStatement } from '../answers/renderStatement.ts';
import type { ApiAnswer, ApiCall, Operation } from '../contract/operation.ts';
import { isAccountCaller } from './keys/keyOperations.ts';

interface App {
  readonly read: Read;
  readonly callers: Callers;
  readonly history: History;
}

export const latestTransactionsOperation =
  (app: App): Operation =>
  async (call) => {
    const { query } = call;
    const limit = Number.parseInt(query.limit ?? '50', 10);
    const isStatement = /\btext\/csv\b/i.test(call.headers.accept ?? '');
    const isPlain = !isStatement && !isAccountCaller(call.caller) && FILTERS.every((name) => query[name] === undefined);
    if (isPlain) return readPlainPage(app, call, limit);
    const caller = await confirmCaller(app, call);
    const { person, items, next } = await app.read((db) => readFiltered(db, call, caller, limit));
    const cursor = next ? renderCursor(next) : null;
    const headers = { Vary: 'Accept', ...(cursor !== null && { Link: renderLink(call, cursor) }) };
    if (isStatement) {
      return { body: renderStatement(items), contentType: 'text/csv; charset=utf-8', headers };
    }
    return {
      body: {
        username: person.username,
        transactions: items.map(({ payment, availableAfter }) => renderListed(payment, availableAfter)),
        next_cursor: cursor,
      },
      headers,
    };
  };

async function readFiltered(
  db: Queryable,
  { params, query }: ApiCall,
  caller: Pick<Caller, 'userId'> | undefined,
  limit: number,
) {
  const person = await findPerson(db, params.username!, caller);
  const after = query.cursor === undefined ? undefined : parseCursor(query.cursor);
  const filter = await parseFilter(db, query);
  // An unknown counterparty gives an empty history, not an error.
  if (!filter) return { person, items: [], next: undefined };
  return { person, ...(await readPayments(db, { userId: person.userId, limit, ...(after && { after }), ...filter })) };
}

const FILTERS = ['kind', 'state', 'from', 'to', 'min_amount', 'max_amount', 'counterparty', 'direction', 'search'];

/** The session comes from the cache and may have ended, so it is confirmed here. A key was just read. */
async function confirmCaller({ callers }: App, call: ApiCall): Promise<Pick<Caller, 'userId'> | undefined> {
  if (isAccountCaller(call.caller)) return call.caller;
  const caller = call.caller as KnownCaller | undefined;
  return caller && callers.get(caller.accessToken);
}

/** Nearly every page has no filter. Such pages are read in batches and printed without intermediate objects. */
async function readPlainPage(app: App, call: ApiCall, limit: number): Promise<ApiAnswer> {
  const name = call.params.username!;
  const caller = call.caller as KnownCaller | undefined;
  const unknown = caller ? 'auth.forbidden' : 'username.unknown';
  if (!isUsername(name)) {
    await confirmCaller(app, call);
    throw new PayError(unknown);
  }
  const { after, fault } = tryCursor(call.query.cursor);
  const page = await app.history.read({ name: name.toLowerCase(), caller, limit, after });
  if (!page) throw new PayError(unknown);
  if (fault) throw fault;
  const { body, cursor } = printPage(page);
  // A cursor, a number and a name: nothing needs escaping.
  const Link = `<${call.route.replace('{username}', name)}?limit=${limit}&cursor=${cursor}>; rel="next"`;
  const headers = cursor === null ? { Vary: 'Accept' } : { Vary: 'Accept', Link };
  return { body, contentType: 'application/json', headers };
}

/**
 * Returns the fault instead of throwing it: only callers who may read this history see that the cursor is invalid.
 */
function tryCursor(text: string | undefined): { after?: HistoryPosition; fault?: PayError } {
  if (text === undefined) return {};
  try {
    return { after: parseCursor(text) };
  } catch (error) {
    return { fault: error as PayError };
  }
}

/** With a credential, only the caller's own history: another person's name gets the same answer as an unknown one. */
async function findPerson(
  db: Queryable,
  username: string,
  caller: Pick<Caller, 'userId'> | undefined,
): Promise<NamedUser> {
  if (caller) {
    const own = await findOwnName(db, caller.userId, username);
    if (!own) throw new PayError('auth.forbidden');
    return own;
  }
  const person = isUsername(username) ? await findByUsername(db, username) : undefined;
  if (!person) throw new PayError('username.unknown');
  return person;
}

/** Undefined if no payment can match. */
async function parseFilter(db: Queryable, query: ApiCall['query']): Promise<HistoryFilter | undefined> {
  const counterparty = await parseCounterparty(db, query.counterparty);
  if (query.counterparty !== undefined && !counterparty) return undefined;
  return {
    kind: query.kind as PaymentKind | undefined,
    state: query.state as PaymentState | undefined,
    from: parseTime(query.from),
    to: parseTime(query.to),
    minAmount: parseBound(query.min_amount),
    maxAmount: parseBound(query.max_amount),
    counterparty,
    direction: query.direction as 'in' | 'out' | undefined,
    search: query.search,
  };
}

async function parseCounterparty(db: Queryable, text: string | undefined): Promise<HistoryFilter['counterparty']> {
  if (text === undefined) return undefined;
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return { address: text };
  const person = isUsername(text) ? await findByUsername(db, text) : undefined;
  return person && { userId: person.userId };
}

/** The contract has checked the form: RFC 3339 and plain decimals. */
const parseTime = (text: string | undefined): Date | undefined => (text === undefined ? undefined : new Date(text));
const parseBound = (text: string | undefined): bigint | undefined => (text === undefined ? undefined : parseUsdc(text));

/** The same request for the next page, as a URL relative to this server. */
function renderLink(call: ApiCall, cursor: string): string {
  const asked = Object.entries({ ...call.query, cursor }).filter(([, value]) => value !== undefined);
  const path = call.route.replace('{username}', encodeURIComponent(call.params.username!));
  return `<${path}?${new URLSearchParams(asked as [string, string][])}>; rel="next"`;
}
