import { encodeFunctionData, hexToBigInt, parseAbi } from 'viem';
import { MULTICALL } from '../adapters/chain/blockchains.ts';
import { usdcAbi } from '../adapters/chain/usdcAbi.ts';
import type { Chain, Hex } from '../core/ports.ts';
import { dateOfSeconds } from '../core/time.ts';

/** What one blockchain says about a wallet that is not ours. */
interface ForeignBalance {
  readonly blockchain: string;
  readonly amount: bigint;
  readonly blockNumber: bigint;
  readonly blockTime: Date;
}

interface ForeignWallets {
  /** One entry per chain; undefined where the chain did not answer in time. */
  read(address: Hex): Promise<(ForeignBalance | undefined)[]>;
}

const CHAIN_LIMIT_MS = 1_000;
const KEEP_MS = 3_000;
const MAX_KEPT = 5_000;
/** Each foreign address costs a call to the chain; beyond this many at once the balance is answered as unknown. */
const MAX_UNDER_WAY = 64;

const blockAbi = parseAbi([
  'function getBlockNumber() view returns (uint256)',
  'function getCurrentBlockTimestamp() view returns (uint256)',
]);
const blockCalls = (['getBlockNumber', 'getCurrentBlockTimestamp'] as const).map((functionName) => ({
  to: MULTICALL,
  data: encodeFunctionData({ abi: blockAbi, functionName }),
}));

/** One multicall per chain, at most a second long; the answer is kept for three seconds. */
export function readForeignWallets(chains: readonly Chain[]): ForeignWallets {
  const kept = new Map<
    string,
    { readonly untilMs: number; readonly answer: Promise<(ForeignBalance | undefined)[]> }
  >();
  let underWay = 0;

  async function ask(address: Hex): Promise<(ForeignBalance | undefined)[]> {
    underWay++;
    try {
      return await Promise.all(chains.map((chain) => readBalance(chain, address).catch(() => undefined)));
    } finally {
      underWay--;
    }
  }

  return {
    read(address) {
      const now = performance.now();
      const known = kept.get(address);
      if (known && known.untilMs > now) return known.answer;
      if (underWay >= MAX_UNDER_WAY) return Promise.resolve(chains.map(() => undefined));
      const answer = ask(address);
      kept.delete(address);
      kept.set(address, { untilMs: now + KEEP_MS, answer });
      if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
      return answer;
    },
  };
}

async function readBalance(chain: Chain, address: Hex): Promise<ForeignBalance | undefined> {
  const data = encodeFunctionData({ abi: usdcAbi, functionName: 'balanceOf', args: [address] });
  // The chain's own time-out is per endpoint; this one is for all endpoints together.
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, CHAIN_LIMIT_MS, undefined).unref());
  const calls = [{ to: chain.usdcAddress, data }, ...blockCalls];
  const answers = await Promise.race([chain.multicall(calls, { timeoutMs: CHAIN_LIMIT_MS }), late]);
  const [amount, number, time] = answers ?? [];
  if (!amount || !number || !time) return undefined;
  return {
    blockchain: chain.blockchain,
    amount: hexToBigInt(amount),
    blockNumber: hexToBigInt(number),
    blockTime: dateOfSeconds(hexToBigInt(time)),
  };
}
