import {
  decodeFunctionResult,
  encodeFunctionData,
  getAddress,
  hexToBigInt,
  hexToNumber,
  isHex,
  numberToHex,
  pad,
  toFunctionSelector,
} from 'viem';
import { PayError } from '../../core/errors.ts';
import type { Block, CallResult, Chain, ContractCall, Fees, Hex, Receipt, Token } from '../../core/ports.ts';
import { agreeOnLogs } from './agreeOnLogs.ts';
import type { Finality } from './blockchains.ts';
import { broadcast } from './broadcast.ts';
import { checkToken } from './checkToken.ts';
import { createRpc, NodeError, type Rpc } from './createRpc.ts';
import { encodeAggregate } from './encodeCarrier.ts';
import { filtersOf, findTokenLog, listLogs, type RawLog } from './tokenLogs.ts';
import { AUTHORIZATION_CANCELED, AUTHORIZATION_USED, multicallAbi, usdcAbi } from './usdcAbi.ts';

export interface ChainConfig {
  readonly blockchain: string;
  readonly chainId: number;
  readonly tokens: readonly Token[];
  readonly finality: Finality;
  /** Asked in this order; a broadcast that one does not accept goes to the next. */
  readonly rpcUrls: readonly string[];
  readonly timeoutMs?: number;
}

const PAUSED = encodeFunctionData({ abi: usdcAbi, functionName: 'paused' });
const IS_BLACKLISTED = toFunctionSelector('isBlacklisted(address)');

/** Nodes limit the gas and time of one read. This number is a guess: only the local chain was tried. */
const CALLS_PER_AGGREGATE = 500;

interface RawBlock {
  readonly number: Hex;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: Hex;
}

export function viemChain(config: ChainConfig): Chain {
  const { blockchain, chainId, tokens, finality } = config;
  const contracts = tokens.map(({ contract }) => contract);
  const timeoutMs = config.timeoutMs ?? 5_000;
  const rpc = createRpc(blockchain, config.rpcUrls, timeoutMs);
  const agree = agreeOnLogs(
    blockchain,
    config.rpcUrls.map((url) => createRpc(blockchain, [url], timeoutMs)),
  );

  async function findRawBlock(
    method: 'eth_getBlockByNumber' | 'eth_getBlockByHash',
    at: string,
  ): Promise<Block | undefined> {
    const block = await rpc.call<RawBlock | null>(method, [at, false]).catch((error: unknown) => {
      // For an unknown block some nodes answer null, others an error.
      if (error instanceof NodeError && /not found|unknown block|unknown header/i.test(error.message)) return null;
      throw error;
    });
    return block ? toBlock(block) : undefined;
  }

  async function getBlock(at: string): Promise<Block> {
    const block = await findRawBlock('eth_getBlockByNumber', at);
    if (!block) throw new PayError('service.unavailable', { dependency: blockchain });
    return block;
  }

  async function getFinalized(): Promise<Block> {
    if (finality.kind === 'tag') return getBlock('finalized');
    const head = await getBlock('latest');
    const number = head.number - BigInt(finality.blocks);
    return getBlock(numberToHex(number > 0n ? number : 0n));
  }

  async function multicall(
    calls: readonly ContractCall[],
    { at, timeoutMs }: { at?: Block; timeoutMs?: number } = {},
  ): Promise<CallResult[]> {
    // By hash, so that the answer cannot come from another block of the same height.
    const place = at ? { blockHash: at.hash, requireCanonical: true } : 'latest';
    const results: CallResult[] = [];
    for (let start = 0; start < calls.length; start += CALLS_PER_AGGREGATE) {
      const { to, data } = encodeAggregate(calls.slice(start, start + CALLS_PER_AGGREGATE));
      const answer = await rpc.call<Hex>('eth_call', [{ to, data }, place], timeoutMs).catch(unavailable);
      const inner = decodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', data: answer });
      results.push(
        ...inner.map(({ success, returnData }) => (success && returnData !== '0x' ? returnData : undefined)),
      );
    }
    return results;
  }

  /** A node refuses a correct read when it lags, has pruned that block, or the block is no longer canonical. */
  function unavailable(error: unknown): never {
    if (!(error instanceof NodeError)) throw error;
    throw new PayError('service.unavailable', { dependency: blockchain }, { cause: error });
  }

  async function readToken(token: Hex, calls: readonly Hex[], at?: Block): Promise<Hex[]> {
    const answers = await multicall(
      calls.map((data) => ({ to: token, data })),
      at ? { at } : {},
    );
    return answers.map((answer) => {
      if (answer === undefined) throw new PayError('service.unavailable', { dependency: blockchain });
      return answer;
    });
  }
  const readFlags = async (token: Hex, calls: readonly Hex[], at?: Block) =>
    (await readToken(token, calls, at)).map((answer) => hexToBigInt(answer) !== 0n);

  return {
    blockchain,
    chainId,
    tokens,
    check: () =>
      Promise.all(
        tokens.map((token) => checkToken({ blockchain, chainId, token }, (method, params) => rpc.call(method, params))),
      ),
    getHead: () => getBlock('latest'),
    getFinalized,
    findBlock: (at) =>
      isHex(at) ? findRawBlock('eth_getBlockByHash', at) : findRawBlock('eth_getBlockByNumber', numberToHex(at)),
    listTokenLogs: ({ from, to, wallets, isDecisive }) => {
      const list = (nodes: Rpc) => listLogs(nodes, contracts, { from, to, filters: filtersOf(wallets) });
      return isDecisive ? agree(list) : list(rpc);
    },
    async findAuthorizationLog({ from, to, token, authorizer, nonce }) {
      const filters = [[[AUTHORIZATION_USED, AUTHORIZATION_CANCELED], pad(authorizer, { size: 32 }), nonce]];
      return (await listLogs(rpc, [token], { from, to, filters }))[0];
    },
    async readBalances(token, wallets, at) {
      const calls = wallets.map((wallet) =>
        encodeFunctionData({ abi: usdcAbi, functionName: 'balanceOf', args: [wallet] }),
      );
      return (await readToken(token, calls, at)).map((answer) => hexToBigInt(answer));
    },
    readAuthorizationStates: (token, authorizations, at) =>
      readFlags(
        token,
        authorizations.map(({ authorizer, nonce }) =>
          encodeFunctionData({ abi: usdcAbi, functionName: 'authorizationState', args: [authorizer, nonce] }),
        ),
        at,
      ),
    async readRefusals(token, addresses) {
      const [isPaused, ...blacklisted] = await readFlags(token, [
        PAUSED,
        // By hand: viem hashes the function's signature and the address each time, and every send comes here.
        ...addresses.map((one): Hex => `${IS_BLACKLISTED}${pad(one, { size: 32 }).slice(2).toLowerCase()}`),
      ]);
      return { isPaused: isPaused!, blacklisted };
    },
    multicall,
    getGasBalance: async (address) => hexToBigInt(await rpc.call<Hex>('eth_getBalance', [address, 'latest'])),
    async getNonce(address, at) {
      const place = typeof at === 'string' ? at : { blockHash: at.hash, requireCanonical: true };
      return hexToNumber(await rpc.call<Hex>('eth_getTransactionCount', [address, place]).catch(unavailable));
    },
    async getFees() {
      const [block, tip] = await Promise.all([
        rpc.call<{ baseFeePerGas?: Hex }>('eth_getBlockByNumber', ['latest', false]),
        rpc.call<Hex>('eth_maxPriorityFeePerGas', []),
      ]);
      return suggestFees(hexToBigInt(block.baseFeePerGas ?? '0x0'), hexToBigInt(tip));
    },
    async findChainTx(hash) {
      const tx = await rpc.call<{
        hash: Hex;
        from: Hex;
        nonce: Hex;
        blockHash: Hex | null;
        blockNumber: Hex | null;
      } | null>('eth_getTransactionByHash', [hash]);
      return tx
        ? {
            hash: tx.hash,
            from: getAddress(tx.from),
            nonce: hexToNumber(tx.nonce),
            blockHash: tx.blockHash ?? undefined,
            blockNumber: tx.blockNumber ? hexToBigInt(tx.blockNumber) : undefined,
          }
        : undefined;
    },
    async findReceipt(hash) {
      const receipt = await rpc.call<RawReceipt | null>('eth_getTransactionReceipt', [hash]);
      return receipt ? toReceipt(receipt, contracts) : undefined;
    },
    broadcast: (raw) => broadcast(rpc.endpoints, raw),
  };
}

const toBlock = (block: RawBlock): Block => ({
  number: hexToBigInt(block.number),
  hash: block.hash,
  parentHash: block.parentHash,
  timeSeconds: hexToBigInt(block.timestamp),
});

interface RawReceipt {
  readonly transactionHash: Hex;
  readonly status: Hex;
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly gasUsed: Hex;
  readonly effectiveGasPrice: Hex;
  /** OP-stack rollups charge the fee of the layer below separately; Arbitrum includes it in the gas. */
  readonly l1Fee?: Hex;
  readonly logs: readonly RawLog[];
}

function toReceipt(receipt: RawReceipt, contracts: readonly Hex[]): Receipt {
  const gasUsed = hexToBigInt(receipt.gasUsed);
  return {
    hash: receipt.transactionHash,
    isSuccess: receipt.status === '0x1',
    blockHash: receipt.blockHash,
    blockNumber: hexToBigInt(receipt.blockNumber),
    gasUsed,
    feeWei: gasUsed * hexToBigInt(receipt.effectiveGasPrice) + hexToBigInt(receipt.l1Fee ?? '0x0'),
    logs: receipt.logs.flatMap((log) => findTokenLog(log, contracts) ?? []),
  };
}

/** The base fee rises by at most an eighth per block: in six blocks by (9/8)^6, a little more than two. */
function suggestFees(baseFeePerGas: bigint, tip: bigint): Fees {
  // Replacing a carrier needs a tip at least ten per cent higher: a tip of zero could never be raised.
  const maxPriorityFeePerGas = tip > 0n ? tip : 1n;
  return {
    baseFeePerGas,
    maxPriorityFeePerGas,
    maxFeePerGas: baseFeePerGas * 2n + baseFeePerGas / 32n + maxPriorityFeePerGas,
  };
}
