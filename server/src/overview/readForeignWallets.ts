import { encodeFunctionData, hexToBigInt, parseAbi } from 'viem/utils';
import { MULTICALL } from '../adapters/chain/blockchains.ts';
import { usdcAbi } from '../adapters/chain/usdcAbi.ts';
import type { Chain, Hex } from '../core/ports.ts';
import { dateOfSeconds } from '../core/time.ts';

/** A blockchain's answer about one token of a wallet that is not ours. */
interface ForeignBalance {
  readonly amount: bigint;
  readonly blockNumber: bigint;
  readonly blockTime: Date;
}

interface ForeignWallets {
  /** One entry per token, chain by chain; undefined if the chain did not answer in time. */
  read(address: Hex): Promise<(ForeignBalance | undefined)[]>;
}

const CHAIN_LIMIT_MS = 1_000;
const KEEP_MS = 3_000;
const MAX_KEPT = 5_000;
/**
 * Each foreign address costs a call to the chain. Beyond this many concurrent calls, the balance is answered as
 * unknown.
 */
const MAX_UNDER_WAY = 64;

const blockAbi = parseAbi([
  'function getBlockNumber() view returns (uint256)',
  'function getCurrentBlockTimestamp() view returns (uint256)',
]);
const blockCalls = (['getBlockNumber', 'getCurrentBlockTimestamp'] as const).map((functionName) => ({
  to: MULTICALL,
  data: encodeFunctionData({ abi: blockAbi, functionName }),
}));

/** Makes one multicall per chain, with a timeout of one second, and caches the answer for three seconds. */
export function readForeignWallets(chains: readonly Chain[]): ForeignWallets {
  const kept = new Map<
    string,
    { readonly untilMs: number; readonly answer: Promise<(ForeignBalance | undefined)[]> }
  >();
  let underWay = 0;

  async function ask(address: Hex): Promise<(ForeignBalance | undefined)[]> {
    underWay++;
    try {
      const unknown = (chain: Chain) => chain.tokens.map(() => undefined);
      const answers = chains.map((chain) => readBalances(chain, address).catch(() => unknown(chain)));
      return (await Promise.all(answers)).flat();
    } finally {
      underWay--;
    }
  }

  return {
    read(address) {
      const now = performance.now();
      const known = kept.get(address);
      if (known && known.untilMs > now) return known.answer;
      if (underWay >= MAX_UNDER_WAY)
        return Promise.resolve(chains.flatMap(({ tokens }) => tokens.map(() => undefined)));
      const answer = ask(address);
      kept.delete(address);
      kept.set(address, { untilMs: now + KEEP_MS, answer });
      if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
      return answer;
    },
  };
}

async function readBalances(chain: Chain, address: Hex): Promise<(ForeignBalance | undefined)[]> {
  const data = encodeFunctionData({ abi: usdcAbi, functionName: 'balanceOf', args: [address] });
  // The chain's own timeout is per endpoint; this one covers all endpoints together.
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, CHAIN_LIMIT_MS, undefined).unref());
  const calls = [...blockCalls, ...chain.tokens.map(({ contract }) => ({ to: contract, data }))];
  const answers = await Promise.race([chain.multicall(calls, { timeoutMs: CHAIN_LIMIT_MS }), late]);
  const [number, time, ...amounts] = answers ?? [];
  return chain.tokens.map((_, i) => {
    const amount = amounts[i];
    if (!amount || !number || !time) return undefined;
    const blockTime = dateOfSeconds(hexToBigInt(time));
    return { amount: hexToBigInt(amount), blockNumber: hexToBigInt(number), blockTime };
  });
}
