import type { ArrivalPage } from '../../core/providerSays.ts';
import type { Queryable } from '../../db/database.ts';
import type { Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';

type App = Pick<CustodyApp, 'db' | 'signer'>;

/** The overlap that finds arrivals that are listed a little late. */
const OVERLAP_MS = 600_000;
/** How far back, and how often, to search for arrivals that were listed much later. */
const LOOK_BACK = `interval '7 days'`;
const LOOK_BACK_EVERY = `interval '1 hour'`;

/** How much of a list is read in one pass: at least one page, then as many as fit. */
interface Share {
  readonly mostPages: number;
  /** By the clock of `performance.now()`. */
  readonly untilMs: number;
}

/**
 * Decides or records the arrivals of a page until the time is up. Returns how many it took from the start of the page:
 * at least one.
 */
export type TakePage = (page: ArrivalPage['arrivals'], untilMs: number) => Promise<number>;

/** The position in a list that starts at `from`. */
interface ListCursor {
  readonly from: Date;
  /** The last arrival that was read; null: none. */
  readonly after: string | null;
  /** The newest time that was read. */
  readonly reached: Date | null;
}

/**
 * Reads new arrivals from the provider's list, starting where the last pass stopped. After the end it starts again a
 * little earlier.
 */
export async function noteNew(app: App, network: Network, share: Share, take: TakePage): Promise<void> {
  const begun = await openPlace(app.db, network);
  const { isEnd, after, reached } = await readPages(app, network, begun, share, take);
  const since = isEnd && reached ? new Date(reached.getTime() - OVERLAP_MS) : begun.from;
  await app.db.query(
    `UPDATE arrival_cursors SET since = greatest(since, $2), page_after = $3, reached = $4
      WHERE network_id = $1 AND (since < $2 OR page_after IS DISTINCT FROM $3)`,
    [network.networkId, since, isEnd ? null : after, isEnd ? null : reached],
  );
}

/** Occasionally does the same for older arrivals, up to where `noteNew` starts, in as many passes as necessary. */
export async function noteEarlier(app: App, network: Network, share: Share, take: TakePage): Promise<void> {
  const [begun] = await app.db.query<ListCursor & { since: Date }>(
    `SELECT coalesce(back_since, since - ${LOOK_BACK}) AS from, back_after AS after, NULL AS reached, since
       FROM arrival_cursors
      WHERE network_id = $1 AND (back_since IS NOT NULL OR looked_back_at < now() - ${LOOK_BACK_EVERY})`,
    [network.networkId],
  );
  if (!begun) return;
  const { isEnd, after, reached } = await readPages(app, network, begun, share, take);
  if (isEnd || (reached !== null && reached >= begun.since)) {
    await app.db.query(
      `UPDATE arrival_cursors SET back_since = NULL, back_after = NULL, looked_back_at = clock_timestamp()
        WHERE network_id = $1`,
      [network.networkId],
    );
    return;
  }
  await app.db.query('UPDATE arrival_cursors SET back_since = $2, back_after = $3 WHERE network_id = $1', [
    network.networkId,
    begun.from,
    after,
  ]);
}

/** Arrivals at addresses that have become our wallets since are decided again. */
export async function noteOwnedNow(db: Queryable, { networkId }: Network): Promise<void> {
  await db.query(
    `INSERT INTO open_arrivals (network_id, provider_id)
     SELECT a.network_id, a.provider_id FROM arrivals a JOIN networks n USING (network_id)
       JOIN wallets w ON w.family = n.family AND w.family <> 'evm' AND w.address = a.to_address
      WHERE a.network_id = $1 AND a.verdict = 'unowned' ON CONFLICT DO NOTHING`,
    [networkId],
  );
}

async function openPlace(db: Queryable, { networkId }: Network): Promise<ListCursor> {
  const read = () =>
    db.query<ListCursor>(
      'SELECT since AS from, page_after AS after, reached FROM arrival_cursors WHERE network_id = $1',
      [networkId],
    );
  const [known] = await read();
  if (known) return known;
  await db.query('INSERT INTO arrival_cursors (network_id) VALUES ($1) ON CONFLICT DO NOTHING', [networkId]);
  return (await read())[0]!;
}

/** A page that fails is requested again in the next pass. */
async function readPages(
  app: App,
  network: Network,
  { from, ...begun }: ListCursor,
  { mostPages, untilMs }: Share,
  take: TakePage,
): Promise<Omit<ListCursor, 'from'> & { readonly isEnd: boolean }> {
  let { after, reached } = begun;
  for (let page = 0; page < mostPages && (page === 0 || performance.now() < untilMs); page++) {
    const answer = await app.signer.listArrivals(network.chain.blockchain, from.toISOString(), after ?? undefined);
    // The provider does not accept the cursor any more: the list is read from its beginning.
    if (answer.outcome === 'rejected') return { after: null, reached: null, isEnd: false };
    if (answer.outcome !== 'accepted') break;
    // The provider decides the page size. Only an empty page marks the end.
    if (answer.arrivals.length === 0) return { after, reached, isEnd: true };
    const taken = await take(answer.arrivals, untilMs);
    const last = answer.arrivals[taken - 1]!;
    after = last.providerId;
    reached = new Date(Math.max(Date.parse(last.createdAt), reached?.getTime() ?? 0));
    if (taken < answer.arrivals.length) break;
  }
  return { after, reached, isEnd: false };
}
