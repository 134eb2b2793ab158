/**
 * A ledger that is years old, inserted directly, because the ledger's functions would take hours. The rows are as the
 * ledger would have written them, and the books balance: in every round each account has one payment, with a partner
 * that changes from round to round; in every odd round the same partners pay it back.
 */
import { idFromKey } from '../../../server/src/core/ids.ts';
import type { Db } from '../../../server/src/db/database.ts';

const CHUNK = 500_000;
const AMOUNT = 1_000;
/** The amount that `createPeople` gives everyone, in one deposit: their first row. */
const FUNDED = 1_000_000_000_000n;
/** The step from one order of the accounts to the next. */
const SHIFT = 7_919;

/**
 * Multipliers without a common factor with the number of accounts, so that each gives another order of all accounts.
 */
const STEPS = [7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67];

/** Adds rounds of payments until `transfers` has at least `size` rows. */
export async function fillLedger(db: Db, size: number): Promise<void> {
  const [before] = await db.query<{ first: bigint; count: number; seq: bigint }>(
    `SELECT min(account_id) AS first, count(*)::int AS count, (SELECT max(seq) FROM transfers) AS seq
       FROM accounts WHERE kind = 'user'`,
  );
  const { first, count, seq } = before!;
  const pairs = count / 2;
  // An even number of rounds restores every balance.
  const rounds = Math.ceil(size / pairs / 2) * 2;
  const inverses = STEPS.map((step) => invert(step, count));
  await db.query('ALTER TABLE transfers DISABLE TRIGGER ALL');
  const indexes = await dropIndexes(db);
  for (let from = 0; from < rounds * pairs; from += CHUNK) {
    const to = Math.min(rounds * pairs, from + CHUNK) - 1;
    await db.query(
      `INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, credit_entry,
         debit_available, credit_available, created_at, asset_id, kind, from_name, to_name, debit_prev, credit_prev)
       SELECT gen_random_uuid(), $1::bigint + 1 + i,
              $2::bigint + CASE WHEN back THEN b ELSE a END, $2::bigint + CASE WHEN back THEN a ELSE b END, ${AMOUNT},
              2 + round, 2 + round,
              ${FUNDED} - CASE WHEN back THEN 0 ELSE ${AMOUNT} END, ${FUNDED} + CASE WHEN back THEN 0 ELSE ${AMOUNT} END,
              timestamptz '2026-01-01' + i * interval '1 millisecond', 1, 'user', 'paaaaaa', 'paaaaab',
              CASE WHEN back THEN $1::bigint + 1 + i - $3::int
                   WHEN round > 0 THEN $1::bigint + 1 + (round - 1) * $3::bigint + place_before(a) END,
              CASE WHEN back THEN $1::bigint + 1 + i - $3::int
                   WHEN round > 0 THEN $1::bigint + 1 + (round - 1) * $3::bigint + place_before(b) END
         FROM (SELECT i, i / $3::int AS round, i / $3::int % 2 = 1 AS back, i / $3::int / 2 AS order_no,
                      (2 * (i % $3::int) * ($6::int[])[1 + (i / $3::int / 2) % ${STEPS.length}] + i / $3::int / 2 * ${SHIFT})
                        % (2 * $3::int) AS a,
                      ((2 * (i % $3::int) + 1) * ($6::int[])[1 + (i / $3::int / 2) % ${STEPS.length}]
                        + i / $3::int / 2 * ${SHIFT}) % (2 * $3::int) AS b
                 FROM generate_series($4::bigint, $5::bigint) i) row`.replaceAll(
        /place_before\((.)\)/g,
        (_, account: string) => placeIn(account, 'order_no - 1', '$3::int', '$7::bigint[]'),
      ),
      [seq, first, pairs, from, to, STEPS, inverses],
    );
  }
  for (const index of indexes) await buildIndex(db, index);
  await db.query('ALTER TABLE transfers ENABLE TRIGGER ALL');
  await db.query(
    `UPDATE accounts SET entries = entries + $1::bigint, last_entry = entries + $1::bigint,
            last_seq = $2::bigint + 1 + ($1::bigint - 1) * $3::int
                       + ${placeIn('(account_id - $4::bigint)', '($1::bigint / 2 - 1)', '$3::int', '$5::bigint[]')}
      WHERE kind = 'user'`,
    [rounds, seq, pairs, first, inverses],
  );
  // `seq` continues above these rows.
  await db.query('SELECT ledger_rebase()');
}

/** The pair of an account, in the order with this number. */
const placeIn = (account: string, orderNo: string, pairs: string, inverses: string): string =>
  `((${account} - (${orderNo}) * ${SHIFT} % (2 * ${pairs}) + 2 * ${pairs})
     * (${inverses})[1 + (${orderNo}) % ${STEPS.length}] % (2 * ${pairs}) / 2)`;

/** The number that reverses a multiplication by `step`, modulo `count`. */
function invert(step: number, count: number): number {
  for (let i = 1; i < count; i++) if ((step * i) % count === 1) return i;
  throw new RangeError(`${step} and ${count} have a common factor`);
}

const KEY = 'transfers_pkey';

interface Index {
  readonly indexname: string;
  readonly indexdef: string;
}

/** Building the indexes after the rows takes a tenth of the time. */
async function dropIndexes(db: Db): Promise<Index[]> {
  const indexes = await db.query<Index>(`SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'transfers'`);
  for (const { indexname } of indexes) {
    await db.query(indexname === KEY ? `ALTER TABLE transfers DROP CONSTRAINT ${KEY}` : `DROP INDEX ${indexname}`);
  }
  return indexes;
}

/**
 * An index that is written at random places is built as full as random inserts leave it: a fuller one would split most of
 * its pages during the measurement.
 */
async function buildIndex(db: Db, { indexname, indexdef }: Index): Promise<void> {
  const fillfactor = indexname === 'transfers_by_seq' ? 90 : 70;
  const definition = indexdef.replace(/ WHERE |$/, (where) => ` WITH (fillfactor = ${fillfactor})${where}`);
  await db.query(definition);
  await db.query(`ALTER INDEX ${indexname} RESET (fillfactor)`);
  if (indexname === KEY) await db.query(`ALTER TABLE transfers ADD CONSTRAINT ${KEY} PRIMARY KEY USING INDEX ${KEY}`);
}

let made = 0;
const RUN = crypto.randomUUID();
/** An id as production makes it: from the caller and the caller's key. */
export const nextKeyedId = (senderId: string): string => idFromKey(senderId, 'send_usdc', `${RUN}-${made++}`);
