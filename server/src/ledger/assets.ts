import type { Queryable } from '../db/database.ts';

/** The ids of a network and of some of its tokens. */
interface OpenAssets {
  readonly networkId: number;
  readonly assetIds: readonly number[];
}

interface AssetRow {
  readonly network_id: number;
  readonly asset_id: number;
  readonly symbol: string;
  readonly chain_id: bigint | null;
  readonly contract: string | null;
  readonly decimals: number;
  readonly token_name: string | null;
}

/** Undefined if no process has opened it yet. Unlike `openAssets`, it changes nothing. */
export async function findAsset(db: Queryable, blockchain: string, symbol: string): Promise<number | undefined> {
  const [found] = await db.query<{ asset_id: number }>(
    'SELECT asset_id FROM assets JOIN networks USING (network_id) WHERE blockchain = $1 AND symbol = $2',
    [blockchain, symbol],
  );
  return found?.asset_id;
}

/** In the order of `symbols`. The first call assigns the ids. */
export async function openAssets(db: Queryable, blockchain: string, symbols: readonly string[]): Promise<OpenAssets> {
  const rows = await open(db, blockchain, symbols);
  return { networkId: rows[0]!.network_id, assetIds: rows.map((row) => row.asset_id) };
}

interface NetworkFacts {
  readonly blockchain: string;
  /** Null for blockchains without chain ids. */
  readonly chainId: number | null;
  /** `name`: the name that the contract reports, for the signer. */
  readonly tokens: readonly {
    readonly symbol: string;
    readonly decimals: number;
    readonly contract: string;
    readonly name: string;
  }[];
}

/**
 * Like `openAssets`, with the chain id and contracts that the network's nodes report. They are stored on the first call
 * and must never change, or coins of one chain or contract would be counted as those of another.
 */
export async function openCheckedAssets(db: Queryable, facts: NetworkFacts): Promise<OpenAssets> {
  const { blockchain, chainId, tokens } = facts;
  const symbols = tokens.map(({ symbol }) => symbol);
  const known = await open(db, blockchain, symbols);
  for (const [i, { contract, name }] of tokens.entries()) {
    const { asset_id: assetId, chain_id: knownChain, contract: knownContract, token_name: knownName } = known[i]!;
    if (knownName === null) await db.query('SELECT ledger_name_token($1, $2)', [assetId, name]);
    if ((knownChain !== null || chainId === null) && knownContract !== null) continue;
    await db.query('SELECT ledger_describe_asset($1, $2, $3)', [assetId, chainId, contract]);
  }
  const rows = await open(db, blockchain, symbols);
  for (const [i, { symbol, decimals, contract }] of tokens.entries()) {
    const row = rows[i]!;
    if (row.decimals !== decimals)
      throw new Error(`${symbol} has ${row.decimals} decimals in this database, not ${decimals}`);
    if (row.chain_id !== (chainId === null ? null : BigInt(chainId))) {
      throw new Error(`${blockchain} is chain ${row.chain_id} in this database, not ${chainId}`);
    }
    if (row.contract?.toLowerCase() !== contract.toLowerCase()) {
      throw new Error(`the ${symbol} of ${blockchain} is ${row.contract} in this database, not ${contract}`);
    }
  }
  return { networkId: rows[0]!.network_id, assetIds: rows.map((row) => row.asset_id) };
}

async function open(db: Queryable, blockchain: string, symbols: readonly string[]): Promise<AssetRow[]> {
  const find = async () => {
    const rows = await db.query<AssetRow>(
      `SELECT network_id, asset_id, symbol, chain_id, contract, decimals, token_name FROM assets JOIN networks USING (network_id)
        WHERE blockchain = $1 AND symbol = ANY ($2)`,
      [blockchain, symbols],
    );
    return symbols.map((symbol) => rows.find((row) => row.symbol === symbol));
  };
  const known = await find();
  if (known.every((row) => row !== undefined)) return known;
  for (const symbol of symbols) await db.query('SELECT ledger_open_token($1, $2)', [blockchain, symbol]);
  return (await find()).map((row) => row!);
}

/** The blockchains that this database has ever been used with. */
export async function listBlockchains(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ blockchain: string }>('SELECT blockchain FROM networks ORDER BY blockchain');
  return rows.map(({ blockchain }) => blockchain);
}
