import { type Address, encodeFunctionData, type Hex, hexToNumber, parseGwei, parseUnits } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { feedAbi, OPERATOR_KEY, type Pair, usdcAbi } from './genesis.ts';
import type { LocalChain } from './openLocalChain.ts';

/** The sandbox operator's actions on chain: minting, gas for relayers, blacklist, pause, prices. */
export interface Operator {
  /** Micro-USDC. Arrives like any deposit, with a `Transfer` from the zero address. */
  mint(to: Address, amount: bigint): Promise<Hex>;
  sendGas(to: Address, wei: bigint): Promise<Hex>;
  setBlacklisted(account: Address, isBlacklisted: boolean): Promise<Hex>;
  setPaused(isPaused: boolean): Promise<Hex>;
  /** `price` is a decimal; `updatedAtSeconds` 0 keeps it fresh in every block. Undefined: the chain has no such feed. */
  setPrice(pair: Pair, price: string, updatedAtSeconds: number): Promise<Hex | undefined>;
}

const GAS = 150_000n;
/** Higher than any gas price a test sets, so that the faucet always works. */
const MAX_FEE = parseGwei('20000');

export function operateToken(chain: LocalChain): Operator {
  const { place } = chain;
  const account = privateKeyToAccount(OPERATOR_KEY);
  let tail: Promise<unknown> = Promise.resolve();

  /** One at a time, each with the pool's next nonce, which is lower again after a reorg. */
  function send(to: Address, data: Hex, value = 0n): Promise<Hex> {
    const sent = tail.then(async () => {
      const nonce = hexToNumber(await chain.read<Hex>('eth_getTransactionCount', [account.address, 'pending']));
      const raw = await account.signTransaction({
        type: 'eip1559',
        chainId: place.chainId,
        nonce,
        to,
        data,
        value,
        gas: GAS,
        maxFeePerGas: MAX_FEE,
        maxPriorityFeePerGas: parseGwei('2'),
      });
      return chain.broadcast(raw);
    });
    tail = sent.catch(() => {});
    return sent;
  }
  const callToken = (functionName: string, args: readonly unknown[]) =>
    send(place.usdc, encodeFunctionData({ abi: usdcAbi, functionName, args }));

  return {
    mint: (to, amount) => callToken('mint', [to, amount]),
    sendGas: (to, wei) => send(to, '0x', wei),
    setBlacklisted: (one, isBlacklisted) => callToken(isBlacklisted ? 'blacklist' : 'unBlacklist', [one]),
    setPaused: (isPaused) => callToken(isPaused ? 'pause' : 'unpause', []),
    async setPrice(pair, price, updatedAtSeconds) {
      const feed = place.feeds[pair];
      const args = [parseUnits(price, 8), BigInt(updatedAtSeconds)];
      return feed && send(feed, encodeFunctionData({ abi: feedAbi, functionName: 'setAnswer', args }));
    },
  };
}
