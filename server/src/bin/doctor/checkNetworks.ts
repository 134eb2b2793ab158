import { DEVNET_CHAIN_IDS } from '../../adapters/chain/blockchains.ts';
import { viemChain } from '../../adapters/chain/viemChain.ts';
import { larger, smaller } from '../../core/bigints.ts';
import type { Block, Chain } from '../../core/ports.ts';
import { listWatchers } from '../../custody/watch/findDeposits.ts';
import type { Db } from '../../db/database.ts';
import type { NetworkConfig } from '../config/chains.ts';
import { describeError, type Finding, fault, ok, warning } from './finding.ts';

const NODES = 'docs/operating/nodes.md';
/** If the head is older than this, the chain has stopped or the node does not follow it. */
const OLD_HEAD_MS = 120_000;
/** Block producers set the time of a block. If it is more than this in the future, our clock is wrong. */
const FUTURE_MS = 30_000;
/** The largest difference between nodes of one blockchain. */
const BEHIND_BLOCKS = 20n;
/** A worker without progress for this long is not running. */
const IDLE_MS = 180_000;

interface Seen {
  readonly host: string;
  readonly chain: Chain;
  readonly head: Block;
}

/** Checks each node by itself, then whether they agree. */
export async function checkNetworks(given: readonly NetworkConfig[], nowMs = Date.now()): Promise<Finding[]> {
  if (given.length === 0)
    return [
      warning(
        'networks',
        'FLORIN_CHAINS names no blockchain: people can pay each other, but no one can deposit or send to an address',
        'name one in FLORIN_CHAINS (.env.example)',
      ),
    ];
  return (await Promise.all(given.map((one) => checkNetwork(one, nowMs)))).flat();
}

async function checkNetwork(given: NetworkConfig, nowMs: number): Promise<Finding[]> {
  const { blockchain, rpcUrls } = given;
  const found = await Promise.all(rpcUrls.map((url) => checkNode(given, url, nowMs)));
  const seen = found.flatMap((one) => one.seen ?? []);
  const quorum = Math.floor(rpcUrls.length / 2) + 1;
  const findings = [...found.flatMap((one) => one.findings), ...(await compare(blockchain, seen))];
  if (seen.length < quorum)
    findings.push(
      fault(
        'networks',
        `${blockchain}: ${seen.length} of ${rpcUrls.length} nodes work, and ${quorum} must agree: nothing is sent or credited there`,
        `fix the nodes above, or name others in FLORIN_CHAINS (${NODES})`,
      ),
    );
  else if (rpcUrls.length < 3 && !DEVNET_CHAIN_IDS.includes(given.chainId))
    findings.push(
      warning(
        'networks',
        `${blockchain} has ${rpcUrls.length === 1 ? 'one node' : 'two nodes'}: it does not survive a node failure`,
        `with three nodes, one may fail (${NODES})`,
      ),
    );
  return findings;
}

async function checkNode(
  given: NetworkConfig,
  url: string,
  nowMs: number,
): Promise<{ readonly findings: Finding[]; readonly seen?: Seen }> {
  const { blockchain } = given;
  const { host } = new URL(url);
  // A single node is its own majority.
  const chain = viemChain({ ...given, rpcUrls: [url] });
  try {
    await chain.check();
    const head = await chain.getHead();
    const ageMs = nowMs - Number(head.timeSeconds) * 1000;
    const age = `${Math.max(0, Math.round(ageMs / 1000))} s old`;
    if (ageMs > OLD_HEAD_MS && !DEVNET_CHAIN_IDS.includes(given.chainId))
      return {
        findings: [
          fault(
            'networks',
            `${blockchain}: the newest block of ${host} is ${age}`,
            `is the node synchronized, and does its chain produce blocks? (${NODES})`,
          ),
        ],
      };
    const clock =
      ageMs < -FUTURE_MS
        ? [
            fault(
              'clocks',
              `blocks of ${blockchain} (${host}) are ${Math.round(-ageMs / 1000)} s in the future`,
              "this machine's clock is slow: timedatectl set-ntp true",
            ),
          ]
        : [];
    const says = `${blockchain}: ${host} is at block ${head.number}, ${age}`;
    return { findings: [ok('networks', says), ...clock], seen: { host, chain, head } };
  } catch (error) {
    const { code } = error as { code?: string };
    const text = code === 'service.unavailable' ? describeRoot(error) : describeError(error);
    const finding =
      code === 'service.unavailable'
        ? fault(
            'networks',
            `${blockchain}: ${host} does not answer: ${text}`,
            `is the URL right, and its key valid? Can this machine reach it? (${NODES})`,
          )
        : fault('networks', `${host}: ${text}`, 'FLORIN_CHAINS names the node of another chain, or a wrong token');
    return { findings: [finding] };
  }
}

/** For a single node, the innermost error explains the failure; the outer ones only repeat the call. */
function describeRoot(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describeRoot(error.errors[0]);
  return error instanceof Error && error.cause instanceof Error ? describeRoot(error.cause) : describeError(error);
}

/** Compares the nodes at the lowest of their heads. */
async function compare(blockchain: string, seen: readonly Seen[]): Promise<Finding[]> {
  if (seen.length < 2) return [];
  const heads = seen.map(({ head }) => head.number);
  const lowest = heads.reduce(smaller);
  const highest = heads.reduce(larger);
  const behind = seen
    .filter(({ head }) => highest - head.number > BEHIND_BLOCKS)
    .map(({ host, head }) =>
      fault(
        'networks',
        `${blockchain}: ${host} is ${highest - head.number} blocks behind the others`,
        `wait until it has caught up, or name another node (${NODES})`,
      ),
    );
  // Some blocks below the head: honest nodes may differ about the newest blocks.
  const at = lowest > BEHIND_BLOCKS ? lowest - BEHIND_BLOCKS : 0n;
  const hashes = await Promise.all(
    seen.map(({ chain }) =>
      chain.findBlock(at).then(
        (block) => block?.hash,
        () => undefined,
      ),
    ),
  );
  const known = hashes.filter((hash) => hash !== undefined);
  if (new Set(known).size < 2) return behind;
  const said = seen.map(({ host }, i) => `${host} says ${hashes[i]?.slice(0, 12) ?? 'nothing'}`).join(', ');
  return [
    ...behind,
    fault(
      'networks',
      `${blockchain}: the nodes disagree about block ${at}: ${said}`,
      `find out which node is right, and remove the other (${NODES})`,
    ),
  ];
}

/** Whether workers follow the chains. */
export async function checkWatchers(db: Db, given: readonly NetworkConfig[]): Promise<Finding[]> {
  const watchers = await listWatchers(db);
  const [clock] = await db.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return given.map(({ blockchain }) => {
    const watcher = watchers.find((one) => one.blockchain === blockchain);
    if (!watcher) return warning('networks', `no worker has ever watched ${blockchain}`, 'florin worker');
    const idleMs = clock!.now.getTime() - watcher.movedAt.getTime();
    const says = `${blockchain} is read up to block ${watcher.blockNumber}, ${Math.round(idleMs / 1000)} s ago`;
    return idleMs > IDLE_MS
      ? warning('networks', says, 'is a worker running (florin worker), and do its nodes answer?')
      : ok('networks', says);
  });
}
