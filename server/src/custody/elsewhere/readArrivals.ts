import { familyOf, readAddressOf } from '../../core/families.ts';
import type { Arrival } from '../../core/providerSays.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import type { Network, NetworkAsset } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { lockCursor } from '../watch/cursor.ts';
import type { SeenTransfer } from '../watch/matchLogs.ts';
import { toSeen } from './toSeen.ts';

type App = Pick<CustodyApp, 'db' | 'signer'>;
type Verdict = 'credited' | 'own' | 'other' | 'unowned';

/** What is listed a little late is found all the same. */
const OVERLAP_MS = 600_000;
/** So far back it is looked for what was listed much later, now and then; and so long an open arrival is waited for. */
const LOOK_BACK_MS = 7 * 86_400_000;
const LOOK_BACK_EVERY = `interval '1 hour'`;
const MOST_PAGES = 400;
const MOST_UNOWNED = 50;
/** The provider does not say where it came from. */
const NOBODY = '';

/**
 * Coins that came to wallets of ours, as their provider tells. It lists them; then each is asked for by its id, and what that
 * says is decided once, in one commit with what follows from it (`credit`). A list that fails is asked for at the next turn.
 */
export async function readArrivals(
  app: App,
  network: Network,
  asset: NetworkAsset,
  credit: (tx: Tx, seen: SeenTransfer) => Promise<void>,
): Promise<void> {
  const cursor = await openCursor(app.db, network);
  const from = cursor.isLookingBack ? Math.max(0, cursor.since.getTime() - LOOK_BACK_MS) : cursor.since.getTime();
  for (const providerId of await listOwnedNow(app.db, network)) await decide(app, network, asset, providerId, credit);
  let after: string | undefined;
  let until = cursor.since.getTime();
  let earliestOpen = Number.POSITIVE_INFINITY;
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await app.signer.listArrivals(network.chain.blockchain, new Date(from).toISOString(), after);
    if (answer.outcome !== 'accepted') return;
    if (answer.arrivals.length === 0) return moveOn(app.db, network, cursor, Math.min(until, earliestOpen));
    const known = await listKnown(
      app.db,
      network,
      answer.arrivals.map((one) => one.providerId),
    );
    for (const { providerId, createdAt, isOpen } of answer.arrivals) {
      const at = Date.parse(createdAt);
      until = Math.max(until, at);
      const isDecided = known.has(providerId) || (!isOpen && (await decide(app, network, asset, providerId, credit)));
      if (!isDecided) earliestOpen = Math.min(earliestOpen, at);
    }
    after = answer.arrivals.at(-1)!.providerId;
  }
}

interface Cursor {
  readonly since: Date;
  readonly isLookingBack: boolean;
}

async function openCursor(db: Queryable, { networkId }: Network): Promise<Cursor> {
  const read = () =>
    db.query<Cursor>(
      `SELECT since, looked_back_at < clock_timestamp() - ${LOOK_BACK_EVERY} AS "isLookingBack" FROM arrival_cursors
        WHERE network_id = $1`,
      [networkId],
    );
  const [known] = await read();
  if (known) return known;
  await db.query('INSERT INTO arrival_cursors (network_id) VALUES ($1) ON CONFLICT DO NOTHING', [networkId]);
  return (await read())[0]!;
}

/** Everything before `until` is decided; what never ends is not waited for any longer than we look back. */
async function moveOn(db: Queryable, { networkId }: Network, cursor: Cursor, until: number): Promise<void> {
  const since = Math.max(until - OVERLAP_MS, Date.now() - LOOK_BACK_MS);
  const isLater = since > cursor.since.getTime();
  if (!isLater && !cursor.isLookingBack) return;
  await db.query(
    `UPDATE arrival_cursors SET since = greatest(since, $2),
            looked_back_at = CASE WHEN $3 THEN clock_timestamp() ELSE looked_back_at END WHERE network_id = $1`,
    [networkId, isLater ? new Date(since) : cursor.since, cursor.isLookingBack],
  );
}

async function listKnown(db: Queryable, { networkId }: Network, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ provider_id: string }>(
    'SELECT provider_id FROM arrivals WHERE network_id = $1 AND provider_id = ANY ($2)',
    [networkId, ids],
  );
  return new Set(rows.map((row) => row.provider_id));
}

/** Arrivals at addresses that have become wallets of ours since. */
async function listOwnedNow(db: Queryable, { networkId }: Network): Promise<string[]> {
  const rows = await db.query<{ provider_id: string }>(
    `SELECT a.provider_id FROM arrivals a JOIN networks n USING (network_id)
       JOIN wallets w ON w.family = n.family AND w.address = a.to_address
      WHERE a.network_id = $1 AND a.verdict = 'unowned' LIMIT $2`,
    [networkId, MOST_UNOWNED],
  );
  return rows.map((row) => row.provider_id);
}

/** False: the provider has not told enough yet, and is asked again. */
async function decide(
  app: App,
  network: Network,
  asset: NetworkAsset,
  providerId: string,
  credit: (tx: Tx, seen: SeenTransfer) => Promise<void>,
): Promise<boolean> {
  const { blockchain } = network.chain;
  const told = await app.signer.findArrival(blockchain, providerId);
  if (told.outcome !== 'accepted' || (told.isComplete && told.txHash === '')) return false;
  const to = readAddress(blockchain, told.to) ?? told.to;
  const from = readAddress(blockchain, told.from) ?? NOBODY;
  await app.db.tx(async (tx) => {
    await lockCursor(tx, network.networkId);
    const receiver = await findWallet(tx, network, to);
    const verdict = await judge(tx, network, { ...told, from }, receiver);
    const rows = await tx.query(
      `INSERT INTO arrivals AS a (network_id, provider_id, to_address, verdict) VALUES ($1, $2, $3, $4)
       ON CONFLICT (network_id, provider_id) DO UPDATE SET verdict = excluded.verdict, decided_at = clock_timestamp()
         WHERE a.verdict = 'unowned' AND excluded.verdict <> 'unowned' RETURNING a.verdict`,
      [network.networkId, providerId, to, verdict],
    );
    // Somebody else has decided it meanwhile.
    if (rows.length === 0 || verdict !== 'credited') return;
    const seen = toSeen(asset, { providerId, txHash: told.txHash, from, to, amount: BigInt(told.amount) });
    await credit(tx, { ...seen, toWallet: receiver });
  });
  return true;
}

async function judge(tx: Tx, network: Network, told: Arrival, receiver: string | undefined): Promise<Verdict> {
  if (!told.isComplete || BigInt(told.amount) <= 0n) return 'other';
  if (receiver === undefined) return 'unowned';
  return (await findWallet(tx, network, told.from)) === undefined ? 'credited' : 'own';
}

async function findWallet(tx: Tx, { networkId }: Network, address: string): Promise<string | undefined> {
  const [row] = await tx.query<{ wallet_id: string }>(
    'SELECT w.wallet_id FROM wallets w JOIN networks n USING (family) WHERE n.network_id = $1 AND w.address = $2',
    [networkId, address],
  );
  return row?.wallet_id;
}

/** In the form that we write it in; undefined: it is none. */
function readAddress(blockchain: string, text: string): string | undefined {
  const family = familyOf(blockchain);
  return family === 'evm' ? undefined : readAddressOf(family, text);
}
