import { DEVNET_CHAIN_IDS } from '../../adapters/chain/blockchains.ts';

/** The defaults of a blockchain without its own settings. */
interface UsualGas {
  /** The most that a relayer bids per unit of gas. */
  readonly maxFeeWei: bigint;
  /** Below this, a relayer gets no new work, and operators are alerted. */
  readonly minGasWei: bigint;
}

const WEI_PER_GWEI = 1_000_000_000n;
const WEI_PER_COIN = 10n ** 18n;

const usual = (maxFeeGwei: bigint, coins: bigint, per = 1n): UsualGas => ({
  maxFeeWei: maxFeeGwei * WEI_PER_GWEI,
  minGasWei: (coins * WEI_PER_COIN) / per,
});

const ethereum = usual(300n, 1n, 100n);
const rollup = usual(10n, 1n, 2_000n);
const polygon = usual(5_000n, 1n, 2n);
const avalanche = usual(500n, 1n, 20n);
const monad = usual(2_000n, 1n);
const arc = usual(2_000n, 1n);

/**
 * Limits that a congested chain stays below, and that protect a relayer from a wrong fee: far above the usual fees of
 * these chains, and far below what would empty a relayer. They are judgements, not measurements.
 */
const table: Readonly<Record<string, UsualGas>> = {
  ETH: ethereum,
  'ETH-SEPOLIA': ethereum,
  MATIC: polygon,
  'MATIC-AMOY': polygon,
  ARB: rollup,
  'ARB-SEPOLIA': rollup,
  AVAX: avalanche,
  'AVAX-FUJI': avalanche,
  BASE: rollup,
  'BASE-SEPOLIA': rollup,
  OP: rollup,
  'OP-SEPOLIA': rollup,
  UNI: rollup,
  'UNI-SEPOLIA': rollup,
  MONAD: monad,
  'MONAD-TESTNET': monad,
  ARC: arc,
  'ARC-TESTNET': arc,
};

/** Undefined for a devnet, regardless of its name. */
export const findUsualGas = (blockchain: string, chainId: number): UsualGas | undefined =>
  DEVNET_CHAIN_IDS.includes(chainId) ? undefined : table[blockchain];
