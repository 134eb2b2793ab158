import type { Chain, TokenDomain } from '../core/ports.ts';
import type { Queryable } from '../db/database.ts';
import { openAsset } from '../ledger/accounts.ts';

/** How custody behaves on one blockchain; everything has a sensible default. */
export interface CustodySettings {
  /** Life of a signature, in chain time. A lapsed one is signed again, with the same nonce, as long as it is wanted. */
  readonly validitySeconds: number;
  /** Beyond 50 calls in one chain transaction less than 1 % of gas is gained. */
  readonly callsPerCarrier: number;
  readonly maxFeePerGasWei: bigint;
  /** A carrier that is not mined after this long gets a higher fee. */
  readonly bumpAfterMs: number;
  readonly rebroadcastAfterMs: number;
  readonly stuckAfterMs: number;
  readonly relayers: number;
  /** Below this a relayer is not given new work. */
  readonly minGasWei: bigint;
  /** The first block to look at for deposits; undefined: the final one at the first start. */
  readonly startBlock?: bigint;
  /** A nonce that is used, with none of our attempts to be found for this long, was used by somebody else. */
  readonly missingAfterMs: number;
  /** How long to wait before a provider is asked about the same transfer again. */
  readonly askProviderMs: number;
}

const defaultSettings: CustodySettings = {
  validitySeconds: 900,
  callsPerCarrier: 50,
  maxFeePerGasWei: 500_000_000_000n,
  bumpAfterMs: 30_000,
  rebroadcastAfterMs: 5_000,
  stuckAfterMs: 60_000,
  relayers: 1,
  minGasWei: 5_000_000_000_000_000n,
  missingAfterMs: 30_000,
  askProviderMs: 2_000,
};

/** A blockchain as custody works with it. */
export interface Network {
  readonly assetId: number;
  readonly chain: Chain;
  readonly domain: TokenDomain;
  readonly settings: CustodySettings;
}

/** Asks the chain who it is: a wrong chain id or token ends here, before anything is signed for it. */
export async function openNetwork(
  db: Queryable,
  chain: Chain,
  settings: Partial<CustodySettings> = {},
): Promise<Network> {
  const domain = await chain.check();
  return {
    assetId: await openAsset(db, chain.blockchain),
    chain,
    domain,
    settings: { ...defaultSettings, ...settings },
  };
}
