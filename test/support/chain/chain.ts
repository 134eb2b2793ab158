/** A chain in this process, with blocks on demand, for whole servers; and everything that can be done on it. */
import { randomBytes } from 'node:crypto';
import {
  type Address,
  concatHex,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  hexToBigInt,
  numberToHex,
  pad,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { contractsOf, usdcAbi } from '../../../sandbox/src/chain/genesis.ts';
import { TRANSFER } from '../../../server/src/adapters/chain/usdcAbi.ts';
import { localWallets } from '../../../server/src/adapters/wallets/local/localWallets.ts';
import { readSeedFile } from '../../../server/src/adapters/wallets/local/seedFile.ts';
import { eventually } from '../eventually.ts';
import { PLACE, serveTestChain } from './serveTestChain.ts';

/** The chain id of the real ETH-SEPOLIA. Our chain has the test USDC at the address of the real one. */
export const SEPOLIA_ID = 11_155_111;

export interface TestChain {
  readonly url: string;
  readonly chainId: number;
  readonly usdc: Address;
  /** Mints; the coins are in the next block. */
  mint(to: string, usdc: string): Promise<void>;
  /** Gas for the relayer of a seed. */
  fuel(seedFile: string, secret: string): Promise<void>;
  mine(blocks?: number): Promise<void>;
  /** Mines a block now and then until `check` stops throwing. */
  mineUntil<T>(check: () => Promise<T>): Promise<T>;
  reorg(depth: number, orphans: 'return' | 'drop'): Promise<void>;
  balanceOf(address: string): Promise<bigint>;
  /** The number of USDC transfers between these two addresses on our chain, in either direction. */
  countTransfers(one: Hex, other: Hex): Promise<number>;
  /** A stranger with gas and a key. */
  stranger(key?: Hex): Promise<Stranger>;
  stop(): Promise<void>;
}

interface Stranger {
  readonly address: Address;
  /** Broadcasts; the transaction is in the next block, whether it succeeds or reverts. */
  send(to: Address | null, data: Hex): Promise<Hex>;
  transfer(to: string, amount: bigint, token?: Address): Promise<Hex>;
  /** A contract with this code, as it will be on the chain. */
  deploy(code: Hex): Promise<Address>;
}

export async function startTestChain(chainId: number = PLACE.chainId): Promise<TestChain> {
  const { local, turn, url, close } = await serveTestChain(chainId);

  function mineUntil<T>(check: () => Promise<T>): Promise<T> {
    return eventually(() =>
      check().catch(async (error: unknown) => {
        await local.mine({ count: 1 });
        throw error;
      }),
    );
  }

  async function stranger(key: Hex = `0x${randomBytes(32).toString('hex')}`): Promise<Stranger> {
    const account = privateKeyToAccount(key);
    await turn('/faucet', { address: account.address, eth: '10' });
    await local.mine({ count: 1 });
    const send: Stranger['send'] = async (to, data) => {
      const nonce = Number(hexToBigInt(await local.read<Hex>('eth_getTransactionCount', [account.address, 'pending'])));
      const fees = { gas: 5_000_000n, maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n };
      const raw = await account.signTransaction({ type: 'eip1559', chainId, nonce, ...(to && { to }), data, ...fees });
      return local.broadcast(raw);
    };
    return {
      address: account.address,
      send,
      transfer: (to, amount, token = PLACE.usdc) =>
        send(token, encodeFunctionData({ abi: usdcAbi, functionName: 'transfer', args: [to, amount] })),
      async deploy(code) {
        const nonce = hexToBigInt(await local.read<Hex>('eth_getTransactionCount', [account.address, 'pending']));
        await send(null, concatHex([returning(code), code]));
        return getContractAddress({ from: account.address, nonce });
      },
    };
  }

  return {
    url,
    chainId,
    usdc: PLACE.usdc,
    async mint(address, usdc) {
      await turn('/faucet', { address, usdc });
    },
    async fuel(seedFile, secret) {
      const wallets = localWallets(await readSeedFile(seedFile, secret));
      const { address } = await wallets.create({ kind: 'relayer', number: 0 });
      await turn('/faucet', { address, eth: '100' });
      await local.mine({ count: 1 });
    },
    mine: (blocks = 1) => local.mine({ count: blocks }),
    mineUntil,
    reorg: (depth, orphans) => local.reorg(depth, orphans),
    async balanceOf(address) {
      const data = encodeFunctionData({ abi: usdcAbi, functionName: 'balanceOf', args: [address] });
      return hexToBigInt(await local.read<Hex>('eth_call', [{ to: PLACE.usdc, data }, 'latest']));
    },
    async countTransfers(one, other) {
      const [a, b] = [pad(one, { size: 32 }), pad(other, { size: 32 })];
      const topics = [TRANSFER, [a, b], [a, b]];
      return (await local.read<unknown[]>('eth_getLogs', [{ address: PLACE.usdc, topics, fromBlock: '0x0' }])).length;
    },
    stranger,
    stop: close,
  };
}

/** The code of the test USDC, to be placed where it means nothing. */
export const usdcCode: Hex = contractsOf(PLACE).find(({ address }) => address === PLACE.usdc)!.code;

/** Init code that returns the code that follows it: push2 length, dup1, push1 11, 0, codecopy, 0, return. */
const returning = (code: Hex): Hex =>
  concatHex(['0x61', numberToHex((code.length - 2) / 2, { size: 2 }), '0x80600b6000396000f3']);
