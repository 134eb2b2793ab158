import { PayError } from '../../core/errors.ts';
import { addressKey, familyOf, isAnyAddress } from '../../core/families.ts';
import { isUsername } from '../../core/isUsername.ts';
import type { Usdc } from '../../core/money.ts';
import type { Queryable } from '../../db/database.ts';
import type { Destinations } from '../destinations/openDestinations.ts';
import { type Screening, screenDestinations } from '../destinations/screenDestinations.ts';
import type { Column, RowError, WantedRow } from './parseRows.ts';

/** Addresses on the blockchains that this service is connected to. */
export type PayoutDestinations = Pick<Destinations, 'parse'> & Screening;

export interface ResolvedRow {
  readonly row: number;
  readonly paymentId: string;
  readonly reference: string;
  /** For a row to a person: the name in lower case, and who has it. */
  readonly username?: string;
  readonly userId?: string;
  readonly destination?: string;
  readonly blockchain: string;
  readonly amount: Usdc;
  readonly note: string | undefined;
  /** The same payment was made before. */
  readonly isKnown: boolean;
}

interface Resolved {
  readonly rows: readonly ResolvedRow[];
  readonly errors: readonly RowError[];
  /** Blockchains whose token is paused. */
  readonly isPaused: readonly string[];
}

interface ResolveApp {
  readonly db: Queryable;
  readonly homeBlockchain: string;
  readonly places: PayoutDestinations;
}

/** Resolves the payee of each row, asks the token about the addresses, and finds the rows that were paid before. */
export async function resolveRows(
  app: ResolveApp,
  payerId: string | null,
  wanted: readonly WantedRow[],
  idOf: (reference: string) => string,
): Promise<Resolved> {
  const people = await findPeople(app.db, wanted);
  const errors: RowError[] = [];
  const found: ResolvedRow[] = [];
  for (const one of wanted) {
    const whom = resolveOne(app, one, people, payerId);
    if ('detail' in whom) errors.push({ row: one.row, ...whom });
    else
      found.push({
        row: one.row,
        paymentId: idOf(one.reference),
        reference: one.reference,
        amount: one.amount,
        note: one.note,
        isKnown: false,
        ...whom,
      });
  }
  const isPaused: string[] = [];
  for (const blockchain of new Set(found.flatMap((row) => (row.destination ? row.blockchain : [])))) {
    const rows = found.filter((row) => row.blockchain === blockchain && row.destination);
    const addresses = rows.map(({ destination }) => destination!);
    const said = await screenDestinations(app.places, { blockchain, addresses, asks: ['screen', 'token'] });
    if (said.isPaused) isPaused.push(blockchain);
    for (const [i, { row }] of rows.entries())
      if (said.blocked[i])
        errors.push({
          row,
          column: 'to',
          code: 'address.blocked',
          detail: 'USDC refuses this address: its issuer has blacklisted it.',
        });
  }
  const earlier = await findEarlier(app.db, found);
  const rows = found.map((row) => {
    const before = earlier.get(row.paymentId);
    if (!before) return row;
    const fault = compare(before, row);
    if (fault) errors.push({ row: row.row, column: 'reference', ...fault });
    return { ...row, isKnown: true };
  });
  return { rows, errors, isPaused };
}

type Whom = Pick<ResolvedRow, 'username' | 'userId' | 'destination' | 'blockchain'>;
type Fault = { readonly column: Column; readonly code: string; readonly detail: string };

function resolveOne(
  { homeBlockchain, places }: ResolveApp,
  { to, blockchain = homeBlockchain }: WantedRow,
  people: ReadonlyMap<string, string>,
  payerId: string | null,
): Whom | Fault {
  if (!isMeantAsAddress(to, blockchain)) {
    const username = to.toLowerCase();
    const userId = isUsername(to) ? people.get(username) : undefined;
    if (!userId)
      return {
        column: 'to',
        code: 'username.unknown',
        detail: `${JSON.stringify(to.slice(0, 60))} is neither a known username nor an address.`,
      };
    if (userId === payerId) return { column: 'to', code: 'payment.self', detail: 'The payer cannot be the recipient.' };
    if (blockchain !== homeBlockchain)
      return {
        column: 'blockchain',
        code: 'blockchain.people',
        detail: `People are paid on ${homeBlockchain}; leave this empty.`,
      };
    return { username, userId, blockchain };
  }
  try {
    return { destination: places.parse(blockchain, to).address, blockchain };
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
    if (error.code === 'blockchain.unsupported')
      return {
        column: 'blockchain',
        code: error.code,
        detail: `${JSON.stringify(blockchain.slice(0, 40))} is not a blockchain of this service.`,
      };
    return {
      column: 'to',
      code: error.code,
      detail: `The address is refused: ${describeRefusal(error, to, blockchain)}.`,
    };
  }
}

/** Names have at most 30 characters. Every address is longer, except on Aptos, which omits leading zeros. */
function isMeantAsAddress(to: string, blockchain: string): boolean {
  const family = familyOf(blockchain);
  if (to.length <= 30) return family === 'aptos' && /^0x/i.test(to);
  return family !== 'evm' || /^0x/i.test(to) || isAnyAddress(to);
}

function describeRefusal({ details }: PayError, to: string, blockchain: string): string {
  if (details.reason === 'checksum') return 'a letter or digit of it is wrong (its checksum says so)';
  if (details.reason !== 'form') return 'it cannot be paid';
  const hint = isAnyAddress(to) ? '; name the blockchain that it belongs to in the column blockchain' : '';
  return `it is not an address on ${blockchain}${hint}`;
}

async function findPeople(db: Queryable, rows: readonly WantedRow[]): Promise<ReadonlyMap<string, string>> {
  const names = [...new Set(rows.flatMap(({ to }) => (isUsername(to) ? to.toLowerCase() : [])))];
  const found = await db.query<{ name: string; user_id: string }>(
    'SELECT asked.name, o.user_id FROM unnest($1::text[]) AS asked(name), username_owner(asked.name, now()) AS o(user_id)',
    [names],
  );
  return new Map(found.map((one) => [one.name, one.user_id]));
}

interface Earlier {
  readonly transfer_id: string;
  readonly amount: bigint;
  readonly receiver: string | null;
  readonly destination: string | null;
  readonly blockchain: string;
  readonly state: string | null;
}

async function findEarlier(db: Queryable, rows: readonly ResolvedRow[]): Promise<ReadonlyMap<string, Earlier>> {
  const found = await db.query<Earlier>(
    `SELECT t.transfer_id, coalesce(p.amount, t.amount) AS amount, c.user_id AS receiver, p.destination, n.blockchain, p.state
       FROM transfers_by_id($1) t JOIN accounts c ON c.account_id = t.credit_account
       JOIN assets s ON s.asset_id = t.asset_id JOIN networks n USING (network_id)
       LEFT JOIN payments p ON t.kind = 'hold' AND p.payment_id = t.transfer_id`,
    [rows.map(({ paymentId }) => paymentId)],
  );
  return new Map(found.map((one) => [one.transfer_id, one]));
}

function compare(before: Earlier, row: ResolvedRow): Omit<Fault, 'column'> | undefined {
  const isSame =
    before.amount === row.amount &&
    before.blockchain === row.blockchain &&
    (row.userId ?? null) === before.receiver &&
    addressKey(row.destination ?? '') === addressKey(before.destination ?? '');
  if (!isSame)
    return {
      code: 'reference.used',
      detail: 'This reference was already paid, with another amount or to another recipient.',
    };
  if (before.state === null || !['FAILED', 'DENIED', 'CANCELLED'].includes(before.state)) return undefined;
  return {
    code: 'reference.ended',
    detail: `The payment with this reference ended ${before.state}; to try again, give it a new reference.`,
  };
}
