import { decodeFunctionResult, encodeFunctionData, hexToBigInt, pad, toFunctionSelector } from 'viem/utils';
import type { Block, CallResult, Chain, ContractCall, Fees, Hex, Token, TokenDomain } from '../../core/ports.ts';
import { answersOf, askNodes } from './askNodes.ts';
import type { Finality } from './blockchains.ts';
import { readBlocks } from './blocks.ts';
import { broadcast } from './broadcast.ts';
import { checkToken, WrongToken } from './checkToken.ts';
import { createNode, type Node, NodeError } from './createNode.ts';
import { encodeAggregate } from './encodeRelayTx.ts';
import { findChainTx, findReceipt } from './receipts.ts';
import { listRefusals } from './refusalLogs.ts';
import { filtersOf, listLogs, listLogsOf } from './tokenLogs.ts';
import { AUTHORIZATION_CANCELED, AUTHORIZATION_USED, multicallAbi, usdcAbi } from './usdcAbi.ts';

export interface ChainConfig {
  readonly blockchain: string;
  readonly chainId: number;
  readonly tokens: readonly Token[];
  readonly finality: Finality;
  /** One URL per node, ideally three from different parties. Decisions about money need a majority of them. */
  readonly rpcUrls: readonly string[];
  readonly timeoutMs?: number;
}

const PAUSED = encodeFunctionData({ abi: usdcAbi, functionName: 'paused' });
const IS_BLACKLISTED = toFunctionSelector('isBlacklisted(address)');

/** Nodes limit the gas and time of one read. This number is a guess: only the local chain was tried. */
const CALLS_PER_AGGREGATE = 500;

export function viemChain(config: ChainConfig): Chain {
  const { blockchain, chainId, tokens, finality } = config;
  const contracts = tokens.map(({ contract }) => contract);
  const timeoutMs = config.timeoutMs ?? 5_000;
  const nodes = askNodes(
    blockchain,
    config.rpcUrls.map((url) => createNode(url, timeoutMs)),
  );
  const { findBlock, getHead, getFinalized } = readBlocks(blockchain, nodes, finality);

  const readToken = (about: string, token: Hex, calls: readonly Hex[], at: Block): Promise<Hex[]> =>
    nodes.agree({ about, ask: (node) => callToken(node, token, calls, at) });

  /**
   * Finds the nodes that cannot read the state of the final block, like most full nodes of rollups. Ending dead sends
   * needs that state.
   */
  async function checkState(token: Hex): Promise<void> {
    const final = await getFinalized();
    const data = authorizationCall(token, `0x${'00'.repeat(32)}`);
    const question = {
      about: 'the state of the final block',
      ask: (node: Node) => callToken(node, token, [data], final),
    };
    await nodes.collect(question, 1);
  }

  return {
    blockchain,
    chainId,
    tokens,
    nodes: nodes.standings,
    async check() {
      const domains = await Promise.all(
        tokens.map(async (token) => {
          const ask = async (node: Node): Promise<{ domain: TokenDomain } | { fault: string }> => {
            try {
              const call = <Result>(method: string, params: readonly unknown[]) => node.call<Result>(method, params);
              return { domain: await checkToken({ blockchain, chainId, token }, call) };
            } catch (error) {
              if (!(error instanceof WrongToken)) throw error;
              return { fault: error.message };
            }
          };
          const found = await nodes.agree({ about: 'the token', ask });
          if ('fault' in found) throw new Error(found.fault);
          return found.domain;
        }),
      );
      // This only names such nodes in their standings. Nothing depends on the result yet.
      if (contracts[0]) await checkState(contracts[0]).catch(() => {});
      return domains;
    },
    getHead,
    getFinalized,
    findBlock,
    listTokenLogs: ({ from, to, wallets, isDecisive }) => {
      const ask = (node: Node) => listLogs(node, contracts, { from, to, filters: filtersOf(wallets) });
      return isDecisive ? nodes.agree({ about: 'logs', ask }) : nodes.askAny('logs', ask);
    },
    listBlockLogs: (block, wallets) =>
      nodes.agree({ about: 'logs', ask: (node) => listLogsOf(node, contracts, block, filtersOf(wallets)) }),
    async findAuthorizationLog({ from, to, token, authorizer, nonce }) {
      const filters = [[[AUTHORIZATION_USED, AUTHORIZATION_CANCELED], pad(authorizer, { size: 32 }), nonce]];
      const ask = (node: Node) => listLogs(node, [token], { from, to, filters });
      return (await nodes.agree({ about: 'logs', ask }))[0];
    },
    async readBalances(token, wallets, at) {
      const calls = wallets.map((wallet) =>
        encodeFunctionData({ abi: usdcAbi, functionName: 'balanceOf', args: [wallet] }),
      );
      return (await readToken('balances', token, calls, at)).map((answer) => hexToBigInt(answer));
    },
    async readAuthorizationStates(token, authorizations, at) {
      const calls = authorizations.map(({ authorizer, nonce }) => authorizationCall(authorizer, nonce));
      return (await readToken('authorizations', token, calls, at)).map(isTrue);
    },
    async readRefusals(token, addresses) {
      const calls = [
        PAUSED,
        // Encoded by hand: viem hashes the function's signature and the address each time, and every send runs this.
        ...addresses.map((one): Hex => `${IS_BLACKLISTED}${pad(one, { size: 32 }).slice(2).toLowerCase()}`),
      ];
      const question = {
        about: 'what the token refuses',
        ask: async (node: Node) => (await callToken(node, token, calls)).map(isTrue),
        isMomentary: true,
        print: String,
      };
      const { said, late } = await nodes.collect(question, 1);
      const answers = answersOf(said);
      const [isPaused, ...blacklisted] = calls.map((_, i) => answers.filter((one) => one[i]).length >= nodes.quorum);
      const counted = String([isPaused, ...blacklisted]);
      if (answers.filter((one) => String(one) === counted).length >= nodes.quorum) {
        nodes.judge(question, said, counted);
        void late.then((more) => nodes.judge(question, more, counted));
      }
      return { isPaused: isPaused!, blacklisted };
    },
    listRefusals: (range) => nodes.agree({ about: 'logs', ask: (node) => listRefusals(node, range) }),
    multicall: (calls, { at, timeoutMs } = {}) =>
      nodes.askAny('contracts', (node) => aggregate(node, calls, at, timeoutMs)),
    // The balance, the newest nonce and the fees are hints: one answer is enough, and of several the median counts.
    // When all other nodes are silent, a single lying node may set them, because relaying must continue. The damage is
    // limited: the network's highest fee limits bids, the token executes each authorization only once, and no payment
    // ends because of a hint (decision 0012).
    async getGasBalance(address) {
      const ask = async (node: Node) => [hexToBigInt(await node.call<Hex>('eth_getBalance', [address, 'latest']))];
      return (await nodes.middles({ about: 'gas balances', ask }, 1))[0]!;
    },
    async getNonce(address, at) {
      const place = typeof at === 'string' ? at : placeOf(at);
      const ask = async (node: Node) => [
        hexToBigInt(await node.call<Hex>('eth_getTransactionCount', [address, place])),
      ];
      const question = { about: 'nonces', ask };
      const [nonce] = typeof at === 'string' ? await nodes.middles(question, 1) : await nodes.agree(question);
      return Number(nonce);
    },
    async getFees() {
      const ask = async (node: Node) => {
        const [block, tip] = await node.ask([
          { method: 'eth_getBlockByNumber', params: ['latest', false] },
          { method: 'eth_maxPriorityFeePerGas', params: [] },
        ]);
        if (block instanceof NodeError) throw block;
        if (block === null) throw new NodeError(0, 'it has no newest block', 'no block');
        if (tip instanceof NodeError) throw tip;
        return [hexToBigInt((block as { baseFeePerGas?: Hex }).baseFeePerGas ?? '0x0'), hexToBigInt(tip as Hex)];
      };
      const [baseFee, tip] = await nodes.middles({ about: 'fees', ask, isNear: isNearFee }, 1);
      return suggestFees(baseFee!, tip!);
    },
    findChainTx: (hash) => findChainTx(nodes, hash),
    findReceipt: (hash) => findReceipt(nodes, hash, contracts),
    broadcast: (raw) => broadcast(nodes, raw),
  };
}

/** By hash, so that the answer cannot come from another block of the same height. */
const placeOf = (at: Block | undefined) => (at ? { blockHash: at.hash, requireCanonical: true } : 'latest');

async function aggregate(
  node: Node,
  calls: readonly ContractCall[],
  at?: Block,
  timeoutMs?: number,
): Promise<CallResult[]> {
  const results: CallResult[] = [];
  for (let start = 0; start < calls.length; start += CALLS_PER_AGGREGATE) {
    const { to, data } = encodeAggregate(calls.slice(start, start + CALLS_PER_AGGREGATE));
    const answer = await node.call<Hex>('eth_call', [{ to, data }, placeOf(at)], timeoutMs);
    const inner = decodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', data: answer });
    results.push(...inner.map(({ success, returnData }) => (success && returnData !== '0x' ? returnData : undefined)));
  }
  return results;
}

async function callToken(node: Node, token: Hex, calls: readonly Hex[], at?: Block): Promise<Hex[]> {
  const answers = await aggregate(
    node,
    calls.map((data) => ({ to: token, data })),
    at,
  );
  return answers.map((answer) => {
    if (answer === undefined) throw new NodeError(0, `the token ${token} does not answer`);
    return answer;
  });
}

const authorizationCall = (authorizer: Hex, nonce: Hex): Hex =>
  encodeFunctionData({ abi: usdcAbi, functionName: 'authorizationState', args: [authorizer, nonce] });

const isTrue = (answer: Hex): boolean => hexToBigInt(answer) !== 0n;

/** The base fee changes by an eighth per block. Tips are estimates, so only a tip far above the others' is a fault. */
const isNearFee = (one: bigint, middle: bigint, i: number): boolean =>
  i === 0 ? one <= middle * 4n && middle <= one * 4n : one <= (middle + 1n) * 100n;

/** The base fee rises by at most an eighth per block: in six blocks by (9/8)^6, a little more than two. */
function suggestFees(baseFeePerGas: bigint, tip: bigint): Fees {
  // Replacing a relay transaction requires a tip at least ten per cent higher. A tip of zero could never be raised.
  const maxPriorityFeePerGas = tip > 0n ? tip : 1n;
  return {
    baseFeePerGas,
    maxPriorityFeePerGas,
    maxFeePerGas: baseFeePerGas * 2n + baseFeePerGas / 32n + maxPriorityFeePerGas,
  };
}
