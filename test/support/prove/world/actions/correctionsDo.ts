/** Refunds by the treasury, and corrections of the books: one operator proposes, another decides (docs/operating/corrections.md). */
import { formatUnits, parseUnits } from 'viem';
import type { Usdc } from '../../../../../server/src/core/money.ts';
import { approveCorrection } from '../../../../../server/src/ledger/corrections.ts';
import { approveRefund, denyRefund, proposeRefund } from '../../../../../server/src/payments/refunds/refundPayment.ts';
import { operate } from '../../../operate.ts';
import { HOME } from '../../../values.ts';
import { type Action, AMOUNTS, type Context, type Draw, PEOPLE, usdcNumber } from '../context.ts';

/** Sends that left, payments between people, and sends that are not paid. */
const propose: Draw = ({ random, state, world, next }) => {
  const payments = [
    ...Object.entries(state.transfers).filter(([id]) => /^(pay|request)/.test(id)),
    ...Object.entries(state.sends),
  ];
  if (payments.length === 0) return undefined;
  // Only these can be refunded by the treasury.
  const left = Object.entries(state.sends).filter(([, one]) => one.ended === 'post');
  const [payment, { amount: paid }] = random.pick(left.length > 0 && random.chance(0.6) ? left : payments);
  const amount = random.chance(0.6) ? paid : random.pick(AMOUNTS);
  const id = next('refund');
  const wanted = { paymentId: world.names.id(payment), amount: amount as Usdc, reason: id };
  return {
    name: 'propose refund',
    text: `rita proposes that the treasury refunds ${usdcNumber(amount)} of ${payment}`,
    call: { do: 'proposeRefund', id, payment, amount },
    creates: { refunds: id, transfers: id },
    run: async () => (await proposeRefund(world.operators.rita, wanted)).outcome,
  };
};

const decideRefund: Draw = ({ random, state, world }) => {
  const proposals = Object.entries(state.refunds).filter(([, one]) => one.source === 'treasury');
  const open = proposals.filter(([, one]) => one.state === 'proposed');
  if (proposals.length === 0) return undefined;
  const [id] = random.pick(open.length > 0 && random.chance(0.9) ? open : proposals);
  const refund = world.names.id(id);
  if (random.chance(0.6)) {
    return {
      name: 'approve refund',
      text: `anna approves ${id}`,
      call: { do: 'approveRefund', id },
      creates: { transfers: id },
      run: async () => (await approveRefund(world.operators.anna, refund)).outcome,
    };
  }
  return deny(world, id);
};

const deny = (world: Context['world'], id: string): Action => ({
  name: 'deny refund',
  text: `anna denies ${id}`,
  call: { do: 'denyRefund', id },
  run: async () => (await denyRefund(world.operators.anna, world.names.id(id), 'asked for twice')).outcome,
});

/** Before healing: only an operator ends a proposal. */
export async function denyAll({ state, world }: Context, act: (action: Action) => Promise<void>): Promise<void> {
  for (const [id, { state: now }] of Object.entries(state.refunds)) if (now === 'proposed') await act(deny(world, id));
}

const correct: Draw = (context) => {
  const { random, world, next } = context;
  const [who, id, size] = [random.pick(PEOPLE), next('correction'), random.pick(AMOUNTS.slice(0, 4))];
  const isMore = random.chance(0.5);
  const amount = isMore ? size : -size;
  const options = [isMore ? '--more' : '--less', String(usdcNumber(size)), '--wallet', world.names.id(`wallet ${who}`)];
  return {
    name: 'propose correction',
    text: `rita proposes ${id}: ${usdcNumber(amount)} for ${who}`,
    call: { do: 'proposeCorrection', id, who, amount },
    creates: { corrections: id },
    run: async () => {
      const said = await operate(world.operators.rita, 'books', 'correct', HOME, ...options, '--why', id);
      return said.startsWith('Proposed') ? 'proposed' : said;
    },
  };
};

const approve: Draw = ({ random, state, world }) => {
  const all = Object.entries(state.corrections);
  if (all.length === 0) return undefined;
  const open = all.filter(([, one]) => !one.booked);
  const [id] = random.pick(open.length > 0 && random.chance(0.9) ? open : all);
  return {
    name: 'approve correction',
    text: `anna approves ${id}`,
    call: { do: 'correct', id },
    run: () => approveCorrection(world.operators.anna, world.names.id(id), { isForced: true }),
  };
};

/** The service's own money, from which it refunds. */
const fundTreasury: Draw = (context) => {
  const name = context.next('deposit');
  return depositToTreasury(
    context,
    name,
    `${10 + context.random.int(90)}.${String(100_000 + Number(name.replace(/\D/g, '')))}`,
  );
};

const depositToTreasury = ({ world, observer }: Context, name: string, usdc: string): Action => ({
  name: 'fund treasury',
  text: `${usdc} to the wallet of the treasury`,
  run: async () => {
    const address = world.names.id('address of treasury');
    const { tx_hash: hash } = await world.places.turn('/faucet', { address, usdc });
    observer.minted.set(hash!, { name, who: 'treasury', amount: parseUnits(usdc, 6) });
    world.names.know(`hash of ${name}`, hash!);
    return undefined;
  },
});

/**
 * While workers heal the service: it owes more than it has, for example because a restore has lost one of two corrections
 * that balanced each other. It pays the difference.
 */
export async function coverLoss(context: Context): Promise<Action | undefined> {
  const [house] = await context.world.db.query<{ sum: bigint }>(
    `SELECT coalesce(sum(available), 0)::bigint AS sum FROM accounts WHERE kind IN ('treasury', 'fees', 'loss')`,
  );
  return house!.sum < 0n ? depositToTreasury(context, context.next('deposit'), formatUnits(-house!.sum, 6)) : undefined;
}

export const correctionsDo: readonly (readonly [number, Draw])[] = [
  [12, propose],
  [40, decideRefund],
  [4, correct],
  [8, approve],
  [4, fundTreasury],
];
