import { NO_CHAIN_ID } from '../core/families.ts';
import type { Chain, Hex, TokenDomain } from '../core/ports.ts';
import type { Queryable } from '../db/database.ts';
import { openCheckedAssets } from '../ledger/assets.ts';

/** The settings of custody on one blockchain. All have defaults. */
export interface CustodySettings {
  /**
   * Lifetime of a signature, in chain time. An expired one is renewed with the same nonce as long as the move is
   * wanted.
   */
  readonly validitySeconds: number;
  /** More than 50 calls in one chain transaction save less than 1 % of gas. */
  readonly callsPerRelayTx: number;
  readonly maxFeePerGasWei: bigint;
  /** A relay transaction that is not mined after this long gets a higher fee. */
  readonly bumpAfterMs: number;
  readonly rebroadcastAfterMs: number;
  readonly stuckAfterMs: number;
  readonly relayers: number;
  /** A relayer with less than this gets no new work. */
  readonly minGasWei: bigint;
  /** Deposits are detected after this block; undefined: after the final block at the first start. */
  readonly startBlock?: bigint;
  /** If a nonce is used and none of our attempts was found for this long, something else used it. */
  readonly missingAfterMs: number;
  /** How long to wait before asking a provider about the same transfer again. */
  readonly askProviderMs: number;
  /** The smallest move that settlement makes: a smaller one is not worth its gas. In millionths of the token. */
  readonly settleMin: bigint;
}

const defaultSettings: CustodySettings = {
  validitySeconds: 900,
  callsPerRelayTx: 50,
  maxFeePerGasWei: 500_000_000_000n,
  bumpAfterMs: 30_000,
  rebroadcastAfterMs: 5_000,
  stuckAfterMs: 60_000,
  relayers: 1,
  minGasWei: 5_000_000_000_000_000n,
  missingAfterMs: 30_000,
  askProviderMs: 2_000,
  settleMin: 0n,
};

/** A token on one blockchain. */
export interface NetworkAsset {
  readonly assetId: number;
  readonly symbol: string;
  readonly contract: Hex;
  readonly domain: TokenDomain;
}

/** A blockchain with everything that custody needs for it. */
export interface Network {
  readonly networkId: number;
  readonly chain: Chain;
  readonly settings: CustodySettings;
  readonly assets: readonly NetworkAsset[];
}

export const assetIdsOf = ({ assets }: Network): number[] => assets.map(({ assetId }) => assetId);

/** Finds the asset of a row that belongs to this network. */
export function getAsset({ chain, assets }: Network, assetId: number): NetworkAsset {
  const asset = assets.find((one) => one.assetId === assetId);
  if (!asset) throw new Error(`${chain.blockchain} has no asset ${assetId}`);
  return asset;
}

/** Groups rows by asset. Assets without rows are left out. */
export function byAsset<Row extends { readonly asset_id: number }>(
  network: Network,
  rows: readonly Row[],
): { readonly asset: NetworkAsset; readonly rows: readonly Row[] }[] {
  return network.assets
    .map((asset) => ({ asset, rows: rows.filter((row) => row.asset_id === asset.assetId) }))
    .filter((one) => one.rows.length > 0);
}

/** Verifies the chain first: a wrong chain id or token stops here, before anything is signed for it. */
export async function openNetwork(
  db: Queryable,
  chain: Chain,
  settings: Partial<CustodySettings> = {},
): Promise<Network> {
  const domains = await chain.check();
  const { blockchain } = chain;
  const chainId = chain.chainId === NO_CHAIN_ID ? null : chain.chainId;
  const tokens = chain.tokens.map((token, i) => ({ ...token, name: domains[i]!.name }));
  const { networkId, assetIds } = await openCheckedAssets(db, { blockchain, chainId, tokens });
  const assets = chain.tokens.map(({ symbol, contract }, i) => ({
    assetId: assetIds[i]!,
    symbol,
    contract,
    domain: domains[i]!,
  }));
  return { networkId, chain, assets, settings: { ...defaultSettings, ...settings } };
}
