import { PayError } from '../../core/errors.ts';
import type { NodeStanding } from '../../core/nodes.ts';
import { type Node, NodeError } from './createNode.ts';
import { nodeStandings } from './nodeStandings.ts';

/** A node that did not answer is skipped for this long, doubled each time up to the limit. */
const SHUN_MS = 15_000;
const MAX_SHUN_MS = 240_000;
/** Queries that are not decisive wait this long for the slower nodes after a majority has answered. */
const GRACE_MS = 500;

export type Said<T> = { readonly node: Node } & ({ readonly answer: T } | { readonly error: Error });

interface Heard<T> {
  readonly said: readonly Said<T>[];
  /** The answers of the nodes that we did not wait for. */
  readonly late: Promise<readonly Said<T>[]>;
}

interface Question<T> {
  /** A few words that describe the query to the operator. */
  readonly about: string;
  ask(node: Node): Promise<T>;
  /** Answers with the same text count as the same answer. */
  print?(answer: T): string;
  /** Honest nodes may differ for a moment, for example about the newest blocks. */
  readonly isMomentary?: boolean;
}

/**
 * All nodes of one blockchain, asked concurrently. Answers that decide about money need the agreement of a majority:
 * ⌊n/2⌋+1 of n nodes. A node that is silent, lagging or skipped does not count towards it, so if one of three nodes is
 * down, the other two must agree.
 */
export interface Nodes {
  readonly quorum: number;
  readonly all: readonly Node[];
  /** Returns the majority's answer; without a majority, throws `service.unavailable` with each node's answer. */
  agree<T>(question: Question<T>): Promise<T>;
  /** Returns all answers. At least `least` nodes must answer. Stops waiting once a majority agrees. */
  collect<T>(question: Question<T>, least: number): Promise<Heard<T>>;
  /**
   * Returns the median of each number; of two answers, the smaller. One node of three cannot move it beyond an honest
   * node's answer. `isNear`: how far honest nodes may differ.
   */
  middles(
    question: Question<readonly bigint[]> & { isNear?(one: bigint, middle: bigint, i: number): boolean },
    least: number,
  ): Promise<bigint[]>;
  /** Asks one node after another and returns the first answer. For queries that decide nothing. */
  askAny<T>(about: string, ask: (node: Node) => Promise<T>): Promise<T>;
  isShunned(node: Node): boolean;
  /** Records which nodes gave the right answer and which did not. */
  judge<T>(question: Question<T>, said: readonly Said<T>[], right: string): void;
  standings(): NodeStanding[];
}

export function askNodes(blockchain: string, nodes: readonly Node[]): Nodes {
  const quorum = Math.floor(nodes.length / 2) + 1;
  const shunned = new Map<Node, { untilMs: number; forMs: number }>();
  const standings = nodeStandings(nodes);

  const isShunned = (node: Node): boolean => (shunned.get(node)?.untilMs ?? 0) > Date.now();

  function shun(node: Node): void {
    const before = shunned.get(node)?.forMs;
    const forMs = before === undefined ? SHUN_MS : Math.min(before * 2, MAX_SHUN_MS);
    shunned.set(node, { untilMs: Date.now() + forMs, forMs });
  }

  async function askOne<T>(node: Node, ask: Question<T>['ask'], about: string): Promise<Said<T>> {
    try {
      const answer = await ask(node);
      shunned.delete(node);
      return { node, answer };
    } catch (thrown) {
      const error = thrown as Error;
      if (error instanceof NodeError) shunned.delete(node);
      else shun(node);
      standings.failed(node, about, error);
      return { node, error };
    }
  }

  /**
   * Waits until `isEnough`, or until all nodes have answered. If `least` is less than a majority, waits only a moment
   * after a majority has answered.
   */
  function hear<T>(
    { ask, about }: Question<T>,
    isEnough: (said: readonly Said<T>[]) => boolean,
    least: number,
  ): Promise<Heard<T>> {
    const available = nodes.filter((node) => !isShunned(node));
    // Too few nodes are available, so the skipped nodes are asked as well.
    const asked = available.length >= least ? available : nodes;
    const graceMs = least < quorum ? GRACE_MS : undefined;
    return new Promise((resolve) => {
      const said: Said<T>[] = [];
      let count = 0;
      const finish = () => {
        if (count > 0) return;
        count = said.length;
        resolve({ said: said.slice(), late: all.then(() => said.slice(count)) });
      };
      const all = Promise.all(
        asked.map(async (node) => {
          said.push(await askOne(node, ask, about));
          if (said.length === asked.length || isEnough(said)) finish();
          else if (graceMs !== undefined && answersOf(said).length === quorum) setTimeout(finish, graceMs).unref();
        }),
      );
    });
  }

  const printOf = <T>({ print }: Question<T>) => print ?? ((answer: T) => toText(answer));

  function largest<T>(question: Question<T>, said: readonly Said<T>[]): { text: string; of: T[] } | undefined {
    const groups = new Map<string, T[]>();
    for (const answer of answersOf(said)) {
      const text = printOf(question)(answer);
      groups.set(text, [...(groups.get(text) ?? []), answer]);
    }
    const [first] = [...groups].sort(([, a], [, b]) => b.length - a.length);
    return first && { text: first[0], of: first[1] };
  }
  const isAgreed = <T>(question: Question<T>, said: readonly Said<T>[]): boolean =>
    (largest(question, said)?.of.length ?? 0) >= quorum;

  function judge<T>(question: Question<T>, said: readonly Said<T>[], right: string): void {
    for (const one of said) {
      if (!('answer' in one)) continue;
      const text = printOf(question)(one.answer);
      if (text === right && text === NOTHING) standings.answered(one.node);
      else if (text === right) standings.agreed(one.node, question.about);
      else if (text === NOTHING) standings.lagged(one.node, question.about);
      else standings.contradicted(one.node, question.about, question.isMomentary);
    }
  }

  function unavailable<T>({ about }: Question<T>, said: readonly Said<T>[]): PayError {
    const causes = said.map((one) => {
      const words = 'answer' in one ? shorten(toText(one.answer)) : one.error.message;
      return new Error(`${about}: ${one.node.host} says ${words}`, 'error' in one ? { cause: one.error } : {});
    });
    const silent = nodes.filter((node) => !said.some((one) => one.node === node));
    causes.push(
      ...silent.map(({ host }) => new Error(`${about}: ${host} was not asked, because it was silent recently`)),
    );
    const cause = new AggregateError(causes, `${quorum} of ${nodes.length} nodes must agree about ${about}`);
    return new PayError('service.unavailable', { dependency: blockchain }, { cause });
  }

  /** The other nodes disagree, so it is worth waiting for the skipped ones. */
  async function askTheRest<T>({ ask, about }: Question<T>, said: readonly Said<T>[]): Promise<readonly Said<T>[]> {
    const rest = nodes.filter((node) => !said.some((one) => one.node === node));
    return [...said, ...(await Promise.all(rest.map((node) => askOne(node, ask, about))))];
  }

  async function collect<T>(question: Question<T>, least: number): Promise<Heard<T>> {
    const heard = await hear(question, (some) => isAgreed(question, some), least);
    if (answersOf(heard.said).length < least) throw unavailable(question, heard.said);
    return heard;
  }

  return {
    quorum,
    all: nodes,
    isShunned,
    judge,
    standings: standings.list,
    async agree<T>(question: Question<T>) {
      const heard = await hear(question, (some) => isAgreed(question, some), quorum);
      const said = isAgreed(question, heard.said) ? heard.said : await askTheRest(question, heard.said);
      const best = largest(question, said);
      if (!best || best.of.length < quorum) throw unavailable(question, said);
      judge(question, said, best.text);
      void heard.late.then((more) => judge(question, more, best.text));
      return best.of[0]!;
    },
    collect,
    async middles(question, least) {
      const { said, late } = await collect(question, least);
      const answers = answersOf(said);
      const middles = answers[0]!.map((_, i) => middleOf(answers.map((one) => one[i]!)));
      const isNear = question.isNear ?? ((one: bigint, middle: bigint) => one === middle);
      const compare = (some: readonly Said<readonly bigint[]>[]) => {
        for (const one of some) {
          if (!('answer' in one)) continue;
          if (middles.every((middle, i) => isNear(one.answer[i]!, middle, i)))
            standings.agreed(one.node, question.about);
          // When two nodes differ, we cannot tell which one is wrong.
          else if (nodes.length > 2) standings.contradicted(one.node, question.about, true);
        }
      };
      compare(said);
      void late.then(compare);
      return middles;
    },
    async askAny<T>(about: string, ask: (node: Node) => Promise<T>) {
      const said: Said<T>[] = [];
      const inOrder = nodes.toSorted((a, b) => Number(isShunned(a)) - Number(isShunned(b)));
      for (const node of inOrder) {
        const one = await askOne(node, ask, about);
        if ('answer' in one) return one.answer;
        said.push(one);
      }
      throw unavailable({ about, ask }, said);
    },
  };
}

export const answersOf = <T>(said: readonly Said<T>[]): T[] =>
  said.flatMap((one) => ('answer' in one ? [one.answer] : []));

/** The answer of a node that does not have the requested block or receipt. */
export const NOTHING = 'nothing';
const toText = (answer: unknown): string =>
  answer === undefined
    ? NOTHING
    : JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
const shorten = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

const middleOf = (numbers: readonly bigint[]): bigint =>
  numbers.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.floor((numbers.length - 1) / 2)]!;
