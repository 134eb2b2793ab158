import type { Chain, Hex } from '../core/ports.ts';
import { type Lane, openLane, type TextRow } from '../db/openLane.ts';
import { type Batcher, createBatcher } from '../ledger/createBatcher.ts';
import { readForeignWallets } from './readForeignWallets.ts';

/** One blockchain's part of an overview, as texts of PostgreSQL: whoever shows it renders them. Null is not known. */
export interface OverviewBalance {
  readonly blockchain: string;
  readonly available: string;
  readonly held: string;
  readonly pendingIn: string;
  readonly onchain: string | null;
  readonly blockNumber: string | null;
  readonly asOfMs: number | null;
  readonly isStale: boolean;
}

export interface OverviewRate {
  readonly pair: string;
  readonly price: string;
  readonly asOfMs: number;
  readonly isStale: boolean;
  readonly source: string;
}

export interface Overviews {
  /** `address` in any case. A payment that anybody was told of before this call is in the answer. */
  read(
    address: Hex,
  ): Promise<{ readonly rates: readonly OverviewRate[]; readonly balances: readonly OverviewBalance[] }>;
  close(): Promise<void>;
}

/** Nobody has heard of the chain for so long that what we show may be old. */
const STALE_AFTER_MS = 30_000;
const RATES_KEEP_MS = 500;

/** One row per wallet of ours and blockchain. The indexes of wallets, accounts and balances carry it. */
const readBalances = {
  name: 'overview',
  text: `SELECT a.nth, coalesce(u.available, t.available, 0), coalesce(u.held, t.held, 0),
                coalesce(o.pending_in, 0), o.amount, h.block_number,
                floor(extract(epoch FROM h.block_time) * 1000), floor(extract(epoch FROM h.seen_at) * 1000)
           FROM unnest($1::text[]) WITH ORDINALITY AS a(address, nth)
           JOIN wallets w ON lower(w.address) = a.address
          CROSS JOIN unnest($2::text[]) WITH ORDINALITY AS b(blockchain, nth)
           LEFT JOIN assets s ON s.blockchain = b.blockchain
           LEFT JOIN accounts u ON u.user_id = w.user_id AND u.asset_id = s.asset_id
           LEFT JOIN accounts t ON t.kind = w.kind AND t.asset_id = s.asset_id AND t.user_id IS NULL
           LEFT JOIN onchain_balances o ON o.wallet_id = w.wallet_id AND o.blockchain = b.blockchain
           LEFT JOIN chain_heads h ON h.blockchain = b.blockchain AND o.wallet_id IS NOT NULL
          ORDER BY a.nth, b.nth`,
};

const readRates = {
  name: 'overview_rates',
  text: `SELECT pair, price, floor(extract(epoch FROM as_of) * 1000), max_age_seconds, source FROM rates
          ORDER BY pair = 'USDC/USD' DESC, pair`,
};

/**
 * Overviews of this process. Requests that arrive together are answered by one statement on a connection of its own:
 * measured with 64 connections, one statement per request gave less than half the requests per second.
 */
export function openOverview(options: { readonly databaseUrl: string; readonly chains: readonly Chain[] }): Overviews {
  const { chains } = options;
  const blockchains = chains.map(({ blockchain }) => blockchain);
  const lane = openLane(pinPlans(options.databaseUrl), { applicationName: 'florin-overview' });
  const foreign = readForeignWallets(chains);
  const batcher: Batcher<string, TextRow[] | undefined> = createBatcher({
    lanes: 1,
    run: (_, addresses) => findWallets(lane, addresses, blockchains),
    isConflict: () => false,
    giveUpAfterMs: 1_000,
  });
  const getRates = keepRates(lane);

  async function readBalancesOf(address: Hex): Promise<OverviewBalance[]> {
    const rows = await batcher.submit(address);
    if (rows) return rows.map((row, i) => toBalance(blockchains[i]!, row));
    const found = await foreign.read(address);
    return blockchains.map((blockchain, i) => ({
      blockchain,
      available: '0',
      held: '0',
      pendingIn: '0',
      onchain: found[i] ? String(found[i].amount) : null,
      blockNumber: found[i] ? String(found[i].blockNumber) : null,
      asOfMs: found[i] ? found[i].blockTime.getTime() : null,
      isStale: !found[i],
    }));
  }

  return {
    async read(address) {
      const [balances, rates] = await Promise.all([readBalancesOf(address.toLowerCase() as Hex), getRates()]);
      return { rates, balances };
    },
    async close() {
      await batcher.close();
      await lane.close();
    },
  };
}

/** A plan made while the tables were empty, or for few addresses, would read millions of accounts from end to end. */
function pinPlans(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const settings = ['enable_seqscan=off', 'enable_hashjoin=off', 'enable_mergejoin=off', 'jit=off'];
  const given = url.searchParams.get('options');
  url.searchParams.set('options', [given ?? '', ...settings.map((one) => `-c ${one}`)].join(' ').trim());
  return url.href;
}

/** Undefined for an address that is no wallet of ours. Equal addresses are looked up once. */
async function findWallets(
  lane: Lane,
  addresses: readonly string[],
  blockchains: readonly string[],
): Promise<(TextRow[] | undefined)[]> {
  const places = new Map<string, number>();
  for (const address of addresses) if (!places.has(address)) places.set(address, places.size + 1);
  const found: TextRow[][] = [];
  // Both are arrays of plain words: hexadecimal addresses and the names of blockchains.
  const rows = await lane.run(readBalances, [`{${[...places.keys()].join()}}`, `{${blockchains.join()}}`]);
  for (const row of rows) {
    const place = Number.parseInt(row[0]!, 10);
    const known = found[place];
    if (known) known.push(row);
    else found[place] = [row];
  }
  return addresses.map((address) => found[places.get(address)!]);
}

const parseMs = (text: string | null): number | null => (text === null ? null : Number.parseInt(text, 10));

function toBalance(blockchain: string, row: TextRow): OverviewBalance {
  const [, available, held, pendingIn, onchain, blockNumber, blockMs, seenMs] = row;
  return {
    blockchain,
    available: available!,
    held: held!,
    pendingIn: pendingIn!,
    onchain: onchain!,
    blockNumber: blockNumber!,
    asOfMs: parseMs(blockMs!),
    isStale: Date.now() - (parseMs(seenMs!) ?? 0) > STALE_AFTER_MS,
  };
}

/** Rates change every few seconds at most: one read serves everybody for a moment. */
function keepRates(lane: Lane): () => Promise<readonly OverviewRate[]> {
  let untilMs = 0;
  let kept: Promise<readonly OverviewRate[]> | undefined;
  return () => {
    const now = performance.now();
    if (!kept || now > untilMs) {
      untilMs = now + RATES_KEEP_MS;
      kept = lane.run(readRates, []).then((rows) => rows.map(toRate));
      kept.catch(() => {
        untilMs = 0;
      });
    }
    return kept;
  };
}

function toRate(row: TextRow): OverviewRate {
  const [pair, price, asOfMs, maxAgeSeconds, source] = row as [string, string, string, string, string];
  const ms = Number.parseInt(asOfMs, 10);
  const isStale = Date.now() - ms > Number.parseInt(maxAgeSeconds, 10) * 1000;
  return { pair, price, asOfMs: ms, isStale, source };
}
