import type { Queryable } from '../../db/database.ts';

/** A fault in the ledger, and where to check whether it still exists. */
export interface Fault {
  readonly assetId: number;
  /** `account 7`, `movement <id>`, or for a whole asset `sum` or `history`. */
  readonly subject: string;
  readonly fault: string;
  readonly accountId: bigint | null;
  readonly seq: bigint | null;
}

const ofAsset = (assetId: number, subject: 'sum' | 'history', fault: string): Fault => ({
  assetId,
  subject,
  fault,
  accountId: null,
  seq: null,
});

/** The balances of all accounts of an asset must add up to zero. */
export const unevenSum = (assetId: number, balance: bigint): Fault =>
  ofAsset(assetId, 'sum', `its accounts add up to ${balance}`);

/** Something is wrong, but its location is unknown. */
export const unclearHistory = (assetId: number): Fault =>
  ofAsset(assetId, 'history', 'its balances are not what its movements lead to');

export const isNamed = ({ accountId, seq }: Fault): boolean => accountId !== null || seq !== null;

interface Range {
  readonly after: bigint;
  readonly upto: bigint;
}

const MOVEMENTS = 5_000;
const ACCOUNTS = 5_000;

interface Search {
  /** Also checks that each movement is in the histories of its accounts. */
  readonly walks?: boolean;
  /** The most movements to read. */
  readonly most?: number;
  readonly onPart?: (rows: number) => void;
}

/** Compares every movement of the range with the one before it. */
export async function findRowFaults(db: Queryable, { after, upto }: Range, search: Search = {}): Promise<Fault[]> {
  const { walks = false, most = Number.POSITIVE_INFINITY, onPart } = search;
  const faults: Fault[] = [];
  for (let from = after, read = 0; from < upto && read < most; read += MOVEMENTS) {
    const [next] = await db.query<{ seq: bigint }>(
      'SELECT seq FROM transfers WHERE seq > $1 AND seq <= $2 ORDER BY seq OFFSET $3 LIMIT 1',
      [from, upto, MOVEMENTS - 1],
    );
    const to = next?.seq ?? upto;
    faults.push(...(await readRowFaults(db, from, to, walks)));
    onPart?.(MOVEMENTS);
    from = to;
  }
  return faults;
}

/** Compares the balances of all accounts with their last movements. */
export async function findAccountFaults(db: Queryable): Promise<Fault[]> {
  const [row] = await db.query<{ last: bigint | null }>('SELECT max(account_id) AS last FROM accounts');
  const faults: Fault[] = [];
  for (let first = 0n; first <= (row!.last ?? -1n); first += BigInt(ACCOUNTS)) {
    faults.push(...(await readAccountFaults(db, first, first + BigInt(ACCOUNTS) - 1n)));
  }
  return faults;
}

/** Returns those of the faults that still exist, read again in a new snapshot. Faults of whole assets are skipped. */
export async function findLasting(db: Queryable, faults: readonly Fault[]): Promise<Fault[]> {
  const lasting: Fault[] = [];
  for (const { accountId, seq } of faults) {
    if (accountId !== null) lasting.push(...(await readAccountFaults(db, accountId, accountId)));
    if (seq !== null) lasting.push(...(await readRowFaults(db, seq - 1n, seq, true)));
  }
  return lasting;
}

/** Describes movements that break a rule by themselves. */
export const describeBroken = (db: Queryable, broken: readonly bigint[]): Promise<Fault[]> =>
  findLasting(
    db,
    broken.map((seq) => ({ assetId: 0, subject: '', fault: '', accountId: null, seq })),
  );

async function readRowFaults(db: Queryable, after: bigint, upto: bigint, walks: boolean): Promise<Fault[]> {
  const rows = await db.query<{ asset_id: number; transfer_id: string; seq: bigint; fault: string }>(
    'SELECT * FROM books_row_faults($1, $2, $3)',
    [after, upto, walks],
  );
  return rows.map(({ asset_id: assetId, transfer_id: id, seq, fault }) => ({
    assetId,
    subject: `movement ${id}`,
    fault,
    accountId: null,
    seq,
  }));
}

async function readAccountFaults(db: Queryable, first: bigint, last: bigint): Promise<Fault[]> {
  const rows = await db.query<{ asset_id: number; account_id: bigint; fault: string }>(
    'SELECT * FROM books_account_faults($1, $2)',
    [first, last],
  );
  return rows.map(({ asset_id: assetId, account_id: accountId, fault }) => ({
    assetId,
    subject: `account ${accountId}`,
    fault,
    accountId,
    seq: null,
  }));
}
