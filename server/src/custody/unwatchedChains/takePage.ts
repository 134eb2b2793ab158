import type { Arrival, ArrivalPage } from '../../core/providerSays.ts';
import type { Queryable } from '../../db/database.ts';
import type { Network } from '../network.ts';

/** In millionths of USDC. Smaller arrivals cost their sender almost nothing, so they are handled after all others. */
const DUST = 10_000n;

type Page = ArrivalPage['arrivals'];

/**
 * Processes a page of the provider's list. Arrivals that it describes completely are decided immediately, without
 * another request. The rest is recorded in one statement: dust, to be decided when there is time, and arrivals that
 * must be requested by id. Other tokens, which anyone can create and send, are dismissed in one statement too. Returns
 * how many were processed; the next pass starts with the others.
 */
export async function takePage(
  db: Queryable,
  network: Network,
  page: Page,
  untilMs: number,
  decide: (arrival: Arrival) => Promise<boolean>,
): Promise<number> {
  const decided = await listDecided(db, network, page);
  const [rest, others]: [Arrival[], Arrival[]] = [[], []];
  let taken = 0;
  let steps = 0;
  for (const { createdAt: _, ...arrival } of page) {
    if (steps > 0 && performance.now() >= untilMs) break;
    taken++;
    if (decided.has(arrival.providerId)) continue;
    if (arrival.state === 'other') others.push(arrival);
    else if (isLater(arrival)) rest.push(arrival);
    else {
      steps++;
      if (!(await decide(arrival))) rest.push({ ...arrival, state: 'open' });
    }
  }
  await note(db, network, rest);
  await dismiss(db, network, others);
  return taken;
}

/** Departures wait too: the coins that they took may have arrived on the same page. */
const isLater = ({ direction, state, amount }: Arrival): boolean =>
  state === 'open' || direction === 'out' || (state === 'complete' && BigInt(amount) < DUST);

/** The same page is read repeatedly, so decided arrivals must cost nothing. Our own sends are tracked separately. */
async function listDecided(db: Queryable, { networkId }: Network, page: Page): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ provider_id: string }>(
    `SELECT provider_id FROM arrivals WHERE network_id = $1 AND provider_id = ANY ($2::uuid[])
     UNION ALL
     SELECT p.provider_id::uuid FROM provider_transfers p JOIN coin_moves m USING (move_id)
       JOIN networks n ON n.network_id = $1 AND p.provider = n.wallet_provider
      WHERE p.provider_id = ANY ($2::text[]) AND m.state <> 'dead'`,
    [networkId, page.map((one) => one.providerId)],
  );
  return new Set(rows.map((row) => row.provider_id));
}

async function note(db: Queryable, { networkId }: Network, arrivals: readonly Arrival[]): Promise<void> {
  if (arrivals.length === 0) return;
  await db.query(
    `INSERT INTO open_arrivals (network_id, provider_id, record)
     SELECT $1, l.id, l.record FROM unnest($2::uuid[], $3::jsonb[]) AS l(id, record) ON CONFLICT DO NOTHING`,
    [
      networkId,
      arrivals.map((one) => one.providerId),
      arrivals.map((one) => (one.state === 'open' || one.direction === 'out' ? null : JSON.stringify(one))),
    ],
  );
}

async function dismiss(db: Queryable, { networkId }: Network, others: readonly Arrival[]): Promise<void> {
  if (others.length === 0) return;
  const ids = others.map((one) => one.providerId);
  await db.query(
    `INSERT INTO arrivals (network_id, provider_id, to_address, verdict)
     SELECT $1, l.id, l.address, 'other' FROM unnest($2::uuid[], $3::text[]) AS l(id, address) ON CONFLICT DO NOTHING`,
    [networkId, ids, others.map(({ direction, from, to }) => (direction === 'in' ? to : from))],
  );
  await db.query('DELETE FROM open_arrivals WHERE network_id = $1 AND provider_id = ANY ($2::uuid[])', [
    networkId,
    ids,
  ]);
}
