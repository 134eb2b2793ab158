import type { Chain, Hex } from '../core/ports.ts';
import { type Batcher, createBatcher } from '../db/createBatcher.ts';
import { type DedicatedConnection, openDedicatedConnection, type TextRow } from '../db/openDedicatedConnection.ts';
import type { OpenReadConnection } from '../db/standbys/openReads.ts';
import { readForeignWallets } from './readForeignWallets.ts';

/** One token's part of an overview. Values are PostgreSQL's text, rendered by `http`; null is unknown. */
export interface OverviewBalance {
  readonly blockchain: string;
  readonly symbol: string;
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

export interface Overview {
  readonly rates: readonly OverviewRate[];
  readonly balances: readonly OverviewBalance[];
}

export interface Overviews {
  /** `address` may be in upper or lower case. The result includes every payment that was answered before this call. */
  read(address: Hex): Promise<Overview>;
  /** For a person without a wallet: the money that other people have paid them. */
  readWithoutWallet(userId: string): Promise<Overview>;
  close(): Promise<void>;
}

/** If no process has read the chain for this long, the answer is marked as possibly stale. */
const STALE_AFTER_MS = 30_000;
const RATES_KEEP_MS = 500;
/** With one connection, PostgreSQL would be idle while this process prepares the next batch, and vice versa. */
const CONNECTIONS = 2;
const [HEAD, ASSET] = ['-2', '-1'];

/**
 * Reads everything in one statement, and therefore from one snapshot. The first of four columns is the kind of row. A
 * positive number is the position of an address in the request; the second column is then an asset id for the amounts
 * of its account, or a negated asset id for the amounts of its coins.
 *
 * Measured with 64 addresses and two blockchains: 1.5 ms. One join with a row per address and blockchain took 2.2 ms,
 * because it looks up every wallet's rows once per blockchain.
 */
const readWallets = {
  name: 'overview',
  text: `WITH w AS MATERIALIZED (
           SELECT a.nth, w.wallet_id, w.user_id, w.kind
             FROM unnest($1::text[]) WITH ORDINALITY AS a(address, nth) JOIN wallets w
               ON lower(w.address) = a.address AND w.family = 'evm')
         SELECT ${HEAD}, blockchain, block_number::text,
                concat_ws(' ', floor(extract(epoch FROM block_time) * 1000), floor(extract(epoch FROM seen_at) * 1000))
           FROM chain_heads JOIN networks USING (network_id)
         UNION ALL SELECT ${ASSET}, asset_id::text, blockchain, symbol FROM assets JOIN networks USING (network_id)
         UNION ALL SELECT w.nth, u.asset_id::text, u.available::text, u.held::text
           FROM w LEFT JOIN accounts u ON u.user_id = w.user_id
         UNION ALL SELECT w.nth, t.asset_id::text, t.available::text, t.held::text
           FROM w JOIN accounts t ON t.kind = w.kind AND t.user_id IS NULL WHERE w.kind <> 'user'
         UNION ALL SELECT w.nth, (-o.asset_id)::text, o.amount::text, o.pending_in::text
           FROM w JOIN onchain_balances o USING (wallet_id)`,
};

const readAccounts = {
  name: 'overview_accounts',
  text: `SELECT blockchain, symbol, available, held FROM accounts JOIN assets USING (asset_id) JOIN networks USING (network_id)
          WHERE user_id = $1`,
};

const readRates = {
  name: 'overview_rates',
  text: `SELECT pair, price, floor(extract(epoch FROM as_of) * 1000), max_age_seconds, source FROM rates
          ORDER BY pair = $1 || '/USD' DESC, pair`,
};

/** Reads overviews in batches: one statement, on dedicated connections, answers all requests that arrive together. */
export function openOverview(options: {
  readonly databaseUrl: string;
  readonly chains: readonly Chain[];
  /** Its rate comes first. */
  readonly currency: string;
  /** Default: read everything on the primary. */
  readonly openReadConnection?: OpenReadConnection | undefined;
}): Overviews {
  const { chains } = options;
  const applicationName = 'florin-overview';
  const tokens = chains.flatMap(({ blockchain, tokens: held }) => held.map(({ symbol }) => ({ blockchain, symbol })));
  const connections = Array.from(
    { length: CONNECTIONS },
    () =>
      options.openReadConnection?.({ applicationName, adapt: pinPlans }) ??
      openDedicatedConnection(pinPlans(options.databaseUrl), { applicationName }),
  );
  const foreign = readForeignWallets(chains);
  const batcher: Batcher<string, OverviewBalance[] | undefined> = createBatcher({
    concurrency: CONNECTIONS,
    run: (slot, addresses) => findWallets(connections[slot]!, addresses, tokens),
    isConflict: () => false,
  });
  const getRates = keepRates(connections[0]!, options.currency);

  async function readBalancesOf(address: Hex): Promise<OverviewBalance[]> {
    const ours = await batcher.submit(address);
    if (ours) return ours;
    const found = await foreign.read(address);
    return tokens.map((token, i) => ({
      ...token,
      available: '0',
      held: '0',
      pendingIn: '0',
      onchain: found[i] ? String(found[i].amount) : null,
      blockNumber: found[i] ? String(found[i].blockNumber) : null,
      asOfMs: found[i] ? found[i].blockTime.getTime() : null,
      isStale: !found[i],
    }));
  }

  async function readAccountsOf(userId: string): Promise<OverviewBalance[]> {
    const rows = await connections[0]!.run(readAccounts, [userId]);
    return tokens.map(({ blockchain, symbol }) => {
      const account = rows.find((row) => row[0] === blockchain && row[1] === symbol);
      const unknown = { onchain: null, blockNumber: null, asOfMs: null, isStale: true };
      return {
        blockchain,
        symbol,
        available: account?.[2] ?? '0',
        held: account?.[3] ?? '0',
        pendingIn: '0',
        ...unknown,
      };
    });
  }

  return {
    async readWithoutWallet(userId) {
      const [balances, rates] = await Promise.all([readAccountsOf(userId), getRates()]);
      return { rates, balances };
    },
    async read(address) {
      const [balances, rates] = await Promise.all([readBalancesOf(address.toLowerCase() as Hex), getRates()]);
      return { rates, balances };
    },
    async close() {
      await batcher.close();
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}

const PINNED = ['enable_seqscan=off', 'enable_hashjoin=off', 'enable_mergejoin=off', 'jit=off'];

/** Otherwise a plan made for empty tables, or for few addresses, would later scan millions of accounts. */
function pinPlans(databaseUrl: string): string {
  // `URL` cannot parse several hosts. If a setting occurs twice, the driver uses the last.
  const given = /[?&]options=([^&]*)/.exec(databaseUrl)?.[1];
  const options = [given, ...PINNED.map((one) => encodeURIComponent(`-c ${one}`))].filter(Boolean).join('%20');
  return `${databaseUrl}${databaseUrl.includes('?') ? '&' : '?'}options=${options}`;
}

interface ShownToken {
  readonly blockchain: string;
  readonly symbol: string;
}

interface Head {
  readonly blockNumber: string;
  readonly blockMs: number;
  readonly isStale: boolean;
}

/** Returns undefined for an address that is not one of our wallets. Looks up equal addresses once. */
async function findWallets(
  connection: DedicatedConnection,
  addresses: readonly string[],
  tokens: readonly ShownToken[],
): Promise<(OverviewBalance[] | undefined)[]> {
  const places = new Map<string, string>();
  for (const address of addresses) if (!places.has(address)) places.set(address, String(places.size + 1));
  const rows = await connection.run(readWallets, [`{${[...places.keys()].join()}}`]);

  const heads = new Map<string, Head>();
  /** By blockchain and symbol. */
  const assets = new Map<string, string>();
  /** By the address's position, then by asset id: the row of its account. A negated asset id: the row of its coins. */
  const wallets = new Map<string, Map<string, TextRow>>();
  for (const row of rows) {
    const [what, key, first, second] = row as [string, string, string, string];
    if (what === HEAD) heads.set(key, toHead(first, second));
    else if (what === ASSET) assets.set(`${first} ${second}`, key);
    else {
      const wallet = wallets.get(what);
      if (wallet) wallet.set(key, row);
      else wallets.set(what, new Map([[key, row]]));
    }
  }
  // Once per batch, not per address.
  const shown = tokens.map(({ blockchain, symbol }): TokenKeys => {
    const account = assets.get(`${blockchain} ${symbol}`) ?? '';
    return { blockchain, symbol, account, coins: `-${account}`, head: heads.get(blockchain) };
  });
  return addresses.map((address) => {
    const wallet = wallets.get(places.get(address)!);
    return wallet && shown.map((token) => toBalance(token, wallet));
  });
}

function toHead(blockNumber: string, times: string): Head {
  const [blockMs, seenMs] = times.split(' ').map((ms) => Number.parseInt(ms, 10)) as [number, number];
  return { blockNumber, blockMs, isStale: Date.now() - seenMs > STALE_AFTER_MS };
}

/** The keys of a token's rows among the rows of a wallet. */
interface TokenKeys extends ShownToken {
  readonly account: string;
  readonly coins: string;
  readonly head: Head | undefined;
}

function toBalance(token: TokenKeys, wallet: ReadonlyMap<string, TextRow>): OverviewBalance {
  const account = wallet.get(token.account);
  const coins = wallet.get(token.coins);
  // Before the first reading of its coins there is no block number.
  const at = coins && token.head;
  return {
    blockchain: token.blockchain,
    symbol: token.symbol,
    available: account?.[2] ?? '0',
    held: account?.[3] ?? '0',
    pendingIn: coins?.[3] ?? '0',
    onchain: coins?.[2] ?? null,
    blockNumber: at?.blockNumber ?? null,
    asOfMs: at?.blockMs ?? null,
    isStale: at?.isStale ?? true,
  };
}

/** Rates change every few seconds at most, so concurrent requests share one read. */
function keepRates(connection: DedicatedConnection, currency: string): () => Promise<readonly OverviewRate[]> {
  let untilMs = 0;
  let kept: Promise<readonly OverviewRate[]> | undefined;
  return () => {
    const now = performance.now();
    if (!kept || now > untilMs) {
      untilMs = now + RATES_KEEP_MS;
      kept = connection.run(readRates, [currency]).then((rows) => rows.map(toRate));
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
