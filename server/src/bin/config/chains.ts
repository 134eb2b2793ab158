import { blockchains, DEVNET_CHAIN_IDS } from '../../adapters/chain/blockchains.ts';
import type { ChainConfig } from '../../adapters/chain/viemChain.ts';
import { feedRates } from '../../adapters/rates/feedRates.ts';
import { feeds, sequencerFeeds } from '../../adapters/rates/feeds.ts';
import { httpRates } from '../../adapters/rates/httpRates.ts';
import type { Chain, Rates, Token } from '../../core/ports.ts';
import { LOOPBACK } from '../../http/contract/createGuard.ts';
import { CURRENCY } from '../../http/currency.ts';
import type { Values } from './variables.ts';

type GivenChain = Values['FLORIN_CHAINS'][number];

/** A blockchain with the settings that differ from the defaults. */
export interface NetworkConfig extends ChainConfig {
  readonly relayers: number | undefined;
  readonly maxFeeWei: bigint | undefined;
  readonly minGasWei: bigint | undefined;
  readonly startBlock: bigint | undefined;
  readonly settleMin: bigint;
}

const WEI_PER_GWEI = 1_000_000_000n;

/** The only place that defines the tokens we hold on a blockchain. */
const tokensOf = (given: GivenChain): readonly Token[] => [
  { ...CURRENCY, contract: given.usdc_address ?? blockchains[given.blockchain]!.usdcAddress },
];

export function toNetworkConfig(given: GivenChain): NetworkConfig {
  const known = blockchains[given.blockchain]!;
  const { finality } = given;
  return {
    blockchain: given.blockchain,
    chainId: given.chain_id ?? known.chainId,
    tokens: tokensOf(given),
    relayers: given.relayers,
    maxFeeWei: given.max_fee_gwei === undefined ? undefined : BigInt(given.max_fee_gwei) * WEI_PER_GWEI,
    minGasWei: given.min_gas,
    startBlock: given.start_block === undefined ? undefined : BigInt(given.start_block),
    settleMin: given.settle_min ?? findSettleMin(given.blockchain, given.chain_id ?? known.chainId),
    rpcUrls: given.rpc_urls,
    finality:
      finality === undefined
        ? known.finality
        : finality === 'finalized'
          ? { kind: 'tag' }
          : { kind: 'blocks', blocks: finality },
  };
}

/** The smallest settlement transfer: gas is expensive on Ethereum, cheap on the others, and free on a devnet. */
function findSettleMin(blockchain: string, chainId: number): bigint {
  if (DEVNET_CHAIN_IDS.includes(chainId)) return 0n;
  return blockchain === 'ETH' || blockchain === 'ETH-SEPOLIA' ? 1_000_000n : 50_000n;
}

/**
 * The sandbox runs only on a devnet. Production runs on anything but a devnet, with the tokens and ids of our own
 * table: a wrong address in an environment file must not decide what counts as money.
 */
export function findChainFaults(values: Partial<Values>): string[] {
  const given = values.FLORIN_CHAINS ?? [];
  const faults = given.flatMap((chain) =>
    values.FLORIN_MODE === 'sandbox' ? findSandboxFaults(chain) : findProductionFaults(chain),
  );
  const names = given.map(({ blockchain }) => blockchain);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice) faults.push(`FLORIN_CHAINS names ${twice} twice`);
  const home = values.FLORIN_HOME_BLOCKCHAIN;
  if (home && names.length > 0 && !names.includes(home)) {
    faults.push(`FLORIN_CHAINS lacks the home blockchain ${home}`);
  }
  for (const rate of values.FLORIN_PRICES ?? []) {
    if (rate.kind === 'feed' && !names.includes(rate.blockchain)) {
      faults.push(`FLORIN_PRICES reads ${rate.pair} on ${rate.blockchain}, which FLORIN_CHAINS does not name`);
    }
    if (rate.kind !== 'feed' && values.FLORIN_MODE !== 'sandbox' && !isSafe(new URL(rate.url)))
      faults.push(`FLORIN_PRICES must use https for ${rate.pair}, except on this machine`);
    if (rate.kind === 'subgraph' && !rate.query) faults.push(`FLORIN_PRICES has no query for ${rate.pair}`);
  }
  return faults;
}

const isSafe = ({ protocol, hostname }: URL): boolean => protocol === 'https:' || LOOPBACK.test(hostname);

function findSandboxFaults({ blockchain, chain_id: chainId }: GivenChain): string[] {
  if (chainId !== undefined && DEVNET_CHAIN_IDS.includes(chainId)) return [];
  return [
    `FLORIN_CHAINS: the sandbox runs on a devnet (chain_id ${DEVNET_CHAIN_IDS.join(' or ')}), not on the real ${blockchain}`,
  ];
}

function findProductionFaults({
  blockchain,
  chain_id: chainId,
  usdc_address: usdc,
  rpc_urls: urls,
}: GivenChain): string[] {
  const faults: string[] = [];
  const known = blockchains[blockchain]!;
  if (chainId !== undefined && chainId !== known.chainId) {
    const isDevnet = DEVNET_CHAIN_IDS.includes(chainId);
    faults.push(
      `FLORIN_CHAINS: ${blockchain} has chain id ${known.chainId}, not ${chainId}${isDevnet ? ' (a devnet)' : ''}`,
    );
  }
  if (usdc !== undefined && usdc.toLowerCase() !== known.usdcAddress.toLowerCase()) {
    faults.push(`FLORIN_CHAINS: the USDC of ${blockchain} is ${known.usdcAddress}, not ${usdc}`);
  }
  if (!urls.every((url) => url.startsWith('https://'))) {
    faults.push(`FLORIN_CHAINS: the rpc_urls of ${blockchain} must use https`);
  }
  return faults;
}

/** The configured sources, or the feeds of the home blockchain if it has any. */
export function openRates(given: Values['FLORIN_PRICES'], chains: readonly Chain[], homeBlockchain: string): Rates[] {
  const find = (blockchain: string) => chains.find((chain) => chain.blockchain === blockchain);
  if (given.length === 0) {
    const home = find(homeBlockchain);
    const known = feeds[homeBlockchain];
    return home && known ? [feedRates(home, known, { sequencer: findSequencer(home) })] : [];
  }
  return given.map((rate) => {
    const { pair, max_age_seconds: maxAgeSeconds } = rate;
    if (rate.kind === 'feed') {
      const chain = find(rate.blockchain)!;
      return feedRates(
        chain,
        { [pair]: { address: rate.address, maxAgeSeconds } },
        { sequencer: findSequencer(chain) },
      );
    }
    const { url, query, path, time_path: timePath } = rate;
    return httpRates({ pair, url, query, path, timePath, maxAgeSeconds });
  });
}

const findSequencer = ({ blockchain }: Chain) => sequencerFeeds[blockchain];
