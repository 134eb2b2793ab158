/** Actions of the chain, of the nodes, of the standby and of Circle. */
import { parseUnits } from 'viem';
import { LIES } from '../../../chain/lies.ts';
import type { Action, Context, Draw } from '../context.ts';
import { PEOPLE, usdcNumber, workerDoes } from '../context.ts';
import { EXPIRY_SECONDS, FINALITY_BLOCKS } from '../setting.ts';
import { look, pay, sendFreely } from './peopleDo.ts';

const mine: Draw = (context) => mineBlocks(context, context.random.pick([1, 1, 1, 2, FINALITY_BLOCKS + 1]));

/** What was broadcast before is in a final block after this. */
export const mineFinal: Draw = (context) => mineBlocks(context, FINALITY_BLOCKS + 1);

const mineBlocks = ({ world }: Context, blocks: number): Action => ({
  name: 'mine',
  text: `${blocks} block${blocks > 1 ? 's' : ''}`,
  run: async () => void (await world.places.mine(blocks)),
});

/** Amounts differ, so that the same transfer never gets the same hash twice. */
export const deposit = (context: Context, who = context.random.pick(PEOPLE), whole = 1 + context.random.int(80)) => {
  const name = context.next('deposit');
  const usdc = `${whole}.${String(100_000 + Number(name.replace(/\D/g, '')))}`;
  const amount = parseUnits(usdc, 6);
  return {
    name: 'deposit',
    text: `${usdcNumber(amount)} to the wallet of ${who}`,
    run: async () => {
      const { tx_hash: hash } = await context.world.places.turn('/faucet', { address: context.addresses[who], usdc });
      context.observer.minted.set(hash!, { name, who, amount });
      context.world.names.know(`hash of ${name}`, hash!);
      return undefined;
    },
  };
};

const reorg: Draw = ({ random, world }) => {
  const [depth, orphans] = [1 + random.int(FINALITY_BLOCKS), random.pick(['return', 'return', 'drop'] as const)];
  if (world.places.local.head <= depth + 1) return undefined;
  return {
    name: `reorg, orphans ${orphans}`,
    text: `the last ${depth} blocks are replaced (${orphans})`,
    run: async () => void (await world.places.local.reorg(depth, orphans)),
  };
};

const NODE_FAULTS = {
  'node down': { rpc: { down: true } },
  'node behind': { rpc: { behind_blocks: 2 } },
  'node forgets nonces': { rpc: { nonce_offset: -1 } },
  'node ahead': { finality_blocks: 1 },
  'broadcast dropped': { broadcast: { kind: 'drop' } },
  'broadcast refused': { broadcast: { kind: 'refuse' } },
  'broadcast answer lost': { broadcast: { kind: 'lose_answer' } },
} as const;

const NODE_LIES = ['node ahead', 'node forgets nonces'] as const;
const HONEST_FAULTS = [
  'node down',
  'node behind',
  'broadcast dropped',
  'broadcast refused',
  'broadcast answer lost',
] as const;

/** Honest faults may affect all nodes at the same time. A lie may not: Florin cannot detect a lying majority. */
const nodeFault: Draw = (context) => {
  const { places } = context.world;
  const { random } = context;
  const isLie = places.nodes > 2 && random.chance(0.5);
  const name = random.pick(isLie ? NODE_LIES : HONEST_FAULTS);
  const node = isLie ? 0 : random.int(places.nodes);
  return {
    name,
    text: `node ${node}: ${name}`,
    run: async () => {
      context.hasBadNodes = true;
      await places.turnNode(node, NODE_FAULTS[name]);
      return undefined;
    },
  };
};

/** Any answer of one of three nodes is wrong. */
const nodeLies: Draw = (context) => {
  const { liar } = context.world.places;
  if (!liar) return undefined;
  const [what, lie] = context.random.pick(LIES);
  return {
    name: 'node lies',
    text: `node 0 ${what}`,
    run: async () => {
      context.hasBadNodes = true;
      liar.lie = lie;
      return undefined;
    },
  };
};

const nodesRecover: Draw = (context) => {
  if (!context.hasBadNodes) return undefined;
  return {
    name: 'nodes recover',
    text: 'all nodes answer well again',
    run: async () => {
      context.hasBadNodes = false;
      await context.world.places.heal();
      return undefined;
    },
  };
};

/** A payment right before is what a lagging standby does not show. */
const standbyLags: Draw = (context) => {
  if (context.isStandbyBehind) return undefined;
  return {
    name: 'standby lags',
    text: 'the standby stops replaying',
    run: async () => {
      context.isStandbyBehind = true;
      await context.world.stage.standby?.pause();
      context.planned.push(pay, look);
      return undefined;
    },
  };
};

const standbyCatchesUp: Draw = (context) => {
  if (!context.isStandbyBehind) return undefined;
  return {
    name: 'standby catches up',
    text: 'the standby replays again',
    run: async () => {
      context.isStandbyBehind = false;
      await context.world.stage.standby?.resume();
      return undefined;
    },
  };
};

const feeSpike: Draw = ({ world }) => ({
  name: 'fee spike',
  text: 'the base fee is 200 gwei',
  run: async () => world.places.local.setBaseFee(200_000_000_000n) as undefined,
});

/** Moves back every date by which workers decide. Spending stays in its hour. */
const ageSql = (hours: number): string => {
  const dates = {
    payment_events: ['at'],
    coin_moves: ['created_at', 'started_at', 'cancel_wanted_at'],
    provider_transfers: ['submitted_at', 'asked_at', 'updated_at', 'first_asked_at', 'cancel_asked_at', 'held_at'],
    carrier_attempts: ['created_at', 'broadcast_at'],
    drifts: ['since'],
  };
  const changes = Object.entries(dates).map(
    ([table, names]) =>
      `UPDATE ${table} SET ${names.map((name) => `${name} = ${name} - ${hours} * interval '1 hour'`).join(', ')}`,
  );
  return `BEGIN; SET LOCAL session_replication_role = replica; ${changes.join('; ')}; COMMIT`;
};

/**
 * Makes signatures expire and every row that decides by its age older. The chain's clock stays less than an hour ahead
 * of ours, because Florin does not trust a clock that is further ahead.
 */
const time: Draw = ({ random, world, next }) => {
  const hours = random.pick([1, 3]);
  const nth = next('time');
  if (!/^time[12]$/.test(nth)) return undefined;
  return {
    name: 'time passes',
    text: `${hours} h pass`,
    run: async () => {
      await world.places.mine(1, EXPIRY_SECONDS);
      await world.owner.query(ageSql(hours));
      return undefined;
    },
  };
};

const ANSWERS = ['cut_after', 'error_after', 'error', 'busy'] as const;

/** Circle does its work and does not answer, or answers and does no work, or refuses a transfer. */
const circleFault: Draw = (context) => {
  const { random, world } = context;
  const { double } = world.places;
  if (!double) return undefined;
  if (random.chance(0.3)) {
    const state = random.pick(['DENIED', 'FAILED'] as const);
    return {
      name: 'provider refuses',
      text: `Circle: the next transfer is ${state}`,
      run: async () => {
        context.mayFail = true;
        double.control.turn({ fate: { state, count: 1 } });
        return undefined;
      },
    };
  }
  return circleAnswers(context, random.pick(ANSWERS));
};

const circleAnswers = ({ world }: Context, kind: (typeof ANSWERS)[number]): Action => ({
  name: `provider answers ${kind}`,
  text: `Circle: ${kind} once`,
  run: async () => world.places.double!.control.turn({ answers: { kind, only: 'POST', count: 1 } }) as undefined,
});

/** Circle forgets keys after an hour: then two operators must decide about a transfer without an answer. */
const circleForgets: Draw = (context) => {
  if (context.world.setting.wallets !== 'Circle sends' || !/[12]$/.test(context.next('forgotten'))) return undefined;
  const fails: Draw = (later) => circleAnswers(later, 'error');
  context.planned.push(workerDoes('submit'), fails, workerDoes('start'), time, workerDoes('start'));
  return sendFreely(context);
};

export const chainDoes: readonly (readonly [number, Draw])[] = [
  [11, mine],
  [6, (context) => deposit(context)],
  [7, reorg],
  [20, nodeFault],
  [6, nodeLies],
  [14, nodesRecover],
  [6, standbyLags],
  [12, standbyCatchesUp],
  [2, feeSpike],
  [2, time],
  [26, circleFault],
  [44, circleForgets],
];
