import { type Hex, hexToBigInt } from 'viem';
import type { ChainClient } from './chainClient.ts';

export async function readBaseFee(chain: ChainClient): Promise<bigint> {
  const block = await chain.call<{ baseFeePerGas: Hex }>('eth_getBlockByNumber', ['latest', false]);
  return hexToBigInt(block.baseFeePerGas);
}
