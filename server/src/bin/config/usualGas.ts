import { DEVNET_CHAIN_IDS } from '../../adapters/chain/blockchains.ts';

/** What holds on a blockchain where nothing else is configured. */
interface UsualGas {
  /** The most that a relayer bids per unit of gas. */
  readonly maxFeeWei: bigint;
  /** Below this a relayer is given no new work, and an operator is told. */
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
 * Caps that a chain in trouble stays below and that a wrong fee cannot make a relayer pay: far above what these chains
 * usually take, and far below what would empty it. They are judgements, not measurements.
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

/** Undefined for a devnet, whatever its name. */
export const findUsualGas = (blockchain: string, chainId: number): UsualGas | undefined =>
  DEVNET_CHAIN_IDS.includes(chainId) ? undefined : table[blockchain];
