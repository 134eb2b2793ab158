import { hexToBigInt, isHex, numberToHex } from 'viem/utils';
import { PayError } from '../../core/errors.ts';
import type { Block, Hex } from '../../core/ports.ts';
import { answersOf, NOTHING, type Nodes, type Said } from './askNodes.ts';
import type { Finality } from './blockchains.ts';
import { type Node, NodeError } from './createNode.ts';

interface RawBlock {
  readonly number: Hex;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: Hex;
}

/** For an unknown block some nodes answer null, others an error. */
async function findBlockOf(node: Node, at: bigint | Hex | 'latest' | 'finalized'): Promise<Block | undefined> {
  const method = isHex(at) ? 'eth_getBlockByHash' : 'eth_getBlockByNumber';
  const place = typeof at === 'bigint' ? numberToHex(at) : at;
  const block = await node.call<RawBlock | null>(method, [place, false]).catch((error: unknown) => {
    if (error instanceof NodeError && error.trouble === 'no block') return null;
    throw error;
  });
  if (!block) return undefined;
  return {
    number: hexToBigInt(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    timeSeconds: hexToBigInt(block.timestamp),
  };
}

interface TipQuestion {
  readonly about: string;
  readonly isMomentary: boolean;
  ask(node: Node): Promise<Block>;
}

/** The blocks of one blockchain, as a majority of its nodes reports them. */
export function readBlocks(blockchain: string, nodes: Nodes, finality: Finality) {
  const findBlock = (at: bigint | Hex): Promise<Block | undefined> =>
    nodes.agree({ about: 'blocks', ask: (node) => findBlockOf(node, at), isMomentary: true });

  async function getBlock(number: bigint): Promise<Block> {
    const block = await findBlock(number);
    if (!block) throw new PayError('service.unavailable', { dependency: blockchain });
    return block;
  }

  /** Returns each node's newest block, or newest final block, from the highest to the lowest. */
  async function listTips(tag: 'latest' | 'finalized', least: number) {
    const question: TipQuestion = {
      about: tag === 'latest' ? 'the newest block' : 'the final block',
      ask: async (node: Node) => {
        const block = await findBlockOf(node, tag);
        if (!block) throw new NodeError(0, `it has no block ${tag}`, 'no block');
        return block;
      },
      isMomentary: true,
    };
    const heard = await nodes.collect(question, least);
    const tips = answersOf(heard.said).sort((a, b) => Number(b.number - a.number));
    return { question, heard, tips };
  }

  /** Returns undefined unless a majority names exactly the same block. */
  const sameOf = (tips: readonly Block[]): Block | undefined =>
    tips.find((one) => tips.filter((other) => isSame(one, other)).length >= nodes.quorum);

  /**
   * A node with an older final block lags, and one with a newer final block may be early. A different block at the same
   * height is wrong.
   */
  function judge(question: TipQuestion, said: readonly Said<Block>[], final: Block): void {
    const print = (tip: Block) => (tip.number < final.number ? NOTHING : toText(tip));
    const isOfHeight = (one: Said<Block>) => 'answer' in one && one.answer.number === final.number;
    const others = said.filter((one) => !isOfHeight(one));
    nodes.judge({ ...question, print, isMomentary: false }, said.filter(isOfHeight), toText(final));
    nodes.judge({ ...question, print }, others, toText(final));
  }

  return {
    findBlock,
    /**
     * Returns the highest block that a majority has reached. Without a majority, returns the highest block of the nodes
     * that answer: the head only serves progress.
     */
    async getHead(): Promise<Block> {
      const { tips } = await listTips('latest', 1);
      const same = sameOf(tips);
      if (same) return same;
      const reached = tips[Math.min(nodes.quorum, tips.length) - 1]!;
      // Asking again would wait for the other nodes once more and find no majority either.
      if (tips.length < nodes.quorum) return reached;
      return getBlock(reached.number).catch(() => reached);
    },
    /**
     * Returns the highest block that a majority considers final. A node that considers a block final also considers all
     * earlier blocks final.
     */
    async getFinalized(): Promise<Block> {
      if (finality.kind === 'blocks') {
        const { tips } = await listTips('latest', nodes.quorum);
        const number = tips[nodes.quorum - 1]!.number - BigInt(finality.blocks);
        return getBlock(number > 0n ? number : 0n);
      }
      const { question, heard, tips } = await listTips('finalized', nodes.quorum);
      const final = sameOf(tips) ?? (await getBlock(tips[nodes.quorum - 1]!.number));
      judge(question, heard.said, final);
      void heard.late.then((more) => judge(question, more, final));
      return final;
    },
  };
}

const toText = ({ number, hash, parentHash, timeSeconds }: Block): string =>
  [number, hash, parentHash, timeSeconds].join();
const isSame = (one: Block, other: Block): boolean => toText(one) === toText(other);
