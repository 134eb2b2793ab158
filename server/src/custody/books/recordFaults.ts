import type { Db, Tx } from '../../db/database.ts';
import { pauseSends } from '../../operators/pauses.ts';
import { type Fault, findLasting, isNamed } from './findFaults.ts';

interface Recorded {
  readonly now: readonly Fault[];
  /** Faults that did not exist before. */
  readonly fresh: readonly Fault[];
  readonly gone: readonly Fault[];
}

/** Lists the known faults, by asset and subject. */
export const listFaults = (db: Pick<Db, 'query'>): Promise<(Fault & { readonly since: Date })[]> =>
  db.query(
    `SELECT asset_id AS "assetId", subject, fault, account_id AS "accountId", seq, since FROM book_faults
      ORDER BY since, asset_id, subject`,
  );

const keyOf = ({ assetId, subject }: Fault): string => `${assetId} ${subject}`;

/** The most faults that are recorded. A ledger with more of them needs no list. */
const MOST = 1_000;

interface Findings {
  /** Faults in accounts and movements. They are checked again before they count. */
  readonly named?: readonly Fault[];
  /** Faults of whole assets. */
  readonly whole?: readonly Fault[];
  /** Whether a known fault of a whole asset no longer exists. */
  readonly isOver?: (known: Fault) => boolean;
  /** Also checks known faults again. Set this only together with a comparison of the balances: see `auditTail`. */
  readonly isFresh?: boolean;
}

/** Checks the findings again, and records those that still exist. */
export async function recordFaults(
  db: Db,
  { named = [], whole = [], isOver = () => false, isFresh = false }: Findings,
): Promise<Recorded> {
  const known = await listFaults(db);
  const candidates = new Map([...(isFresh ? known : []), ...named].filter(isNamed).map((one) => [keyOf(one), one]));
  const lasting = await findLasting(db, [...candidates.values()].slice(0, MOST));
  const kept = known.filter((one) => (isNamed(one) ? !isFresh : !isOver(one)));
  const now = new Map([...kept, ...lasting, ...whole].map((one) => [keyOf(one), one]));
  const fresh = [...now.values()].filter((one) => !known.some((old) => keyOf(old) === keyOf(one)));
  const gone = known.filter((one) => !now.has(keyOf(one)));
  if (now.size + gone.length > 0) await db.tx((tx) => write(tx, [...now.values()], gone));
  return { now: [...now.values()], fresh, gone };
}

async function write(tx: Tx, now: readonly Fault[], gone: readonly Fault[]): Promise<void> {
  await tx.query(
    `DELETE FROM book_faults f USING unnest($1::smallint[], $2::text[]) AS g(asset_id, subject)
      WHERE f.asset_id = g.asset_id AND f.subject = g.subject`,
    [gone.map(({ assetId }) => assetId), gone.map(({ subject }) => subject)],
  );
  await tx.query(
    `INSERT INTO book_faults AS b (asset_id, subject, fault, account_id, seq)
     SELECT * FROM unnest($1::smallint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
     ON CONFLICT (asset_id, subject) DO UPDATE SET fault = excluded.fault WHERE b.fault <> excluded.fault`,
    [
      now.map(({ assetId }) => assetId),
      now.map(({ subject }) => subject),
      now.map(({ fault }) => fault.slice(0, 500)),
      now.map(({ accountId }) => accountId),
      now.map(({ seq }) => seq),
    ],
  );
  const networks = await tx.query<{ blockchain: string; faults: string[] }>(
    `SELECT n.blockchain, array_agg(f.subject || ': ' || f.fault ORDER BY f.since, f.subject) AS faults
       FROM book_faults f JOIN assets USING (asset_id) JOIN networks n USING (network_id)
      WHERE f.fault NOT LIKE $1 GROUP BY 1`,
    [PAUSED_OTHERWISE],
  );
  for (const { blockchain, faults } of networks) await pauseSends(tx, blockchain, 'audit', summarize(faults));
}

/**
 * The fault of a payment that was released although the chain has paid it. Custody already pauses sends for it
 * (`contradicted`), and no repair can undo it.
 */
const PAUSED_OTHERWISE = 'it gives back what the chain has paid%';

const SHOWN = 3;

function summarize(faults: readonly string[]): string {
  const more = faults.length > SHOWN ? `; and ${faults.length - SHOWN} more` : '';
  return `${faults.slice(0, SHOWN).join('; ')}${more}: florin books audit`.slice(0, 500);
}
