/** A service pays many people from one file. At most one file is in progress, so that the order of payments is certain. */
import { approvePayout } from '../../../../../server/src/payments/payouts/approvePayout.ts';
import { HOME } from '../../../values.ts';
import type { Call, Some } from '../../model/calls.ts';
import { ADDRESS } from '../../model/payouts.ts';
import { type Action, AMOUNTS, type Context, type Draw, PEOPLE, usdcNumber } from '../context.ts';
import { JOBS } from '../jobs.ts';
import { DESTINATIONS, neededFor } from './peopleDo.ts';

/** The key of this name has the scope of payouts and is never revoked. */
export const PAYOUT_KEY = 'payouts';

const ACTIVE = ['checked', 'approving', 'running', 'waiting', 'stopping'];
const findActive = ({ state }: Context) => Object.entries(state.payouts).find(([, one]) => ACTIVE.includes(one.state));

const headersOf = ({ secrets }: Context) => ({ authorization: `Bearer ${secrets.get(PAYOUT_KEY)}` });

export const create: Draw = (context) => {
  const { random, state, next } = context;
  if (findActive(context)) return undefined;
  const [payer, ...others] = random.shuffle(PEOPLE).filter((who) => state.people[who]!.name !== null);
  if (!payer || others.length === 0) return undefined;
  const payout = next('payout');
  const places = [...others, ...(random.chance(0.6) ? [ADDRESS, ADDRESS] : [])];
  const rows = places.map((to) => ({ to, amount: random.pick(AMOUNTS.slice(0, 4)) }));
  const file = rows.map(({ to, amount }, i) => ({
    reference: `${payout} ${i}`,
    to: to === ADDRESS ? random.pick(DESTINATIONS) : state.people[to]!.name,
    amount: String(usdcNumber(amount)),
    blockchain: HOME,
  }));
  return {
    name: places.includes(ADDRESS) ? 'create payout with addresses' : 'create payout',
    text: `${payout}: ${payer} pays ${rows.map(({ to, amount }) => `${to} ${usdcNumber(amount)}`).join(', ')}`,
    call: {
      do: 'createPayout',
      payout,
      key: PAYOUT_KEY,
      payer,
      rows,
    },
    creates: { payouts: payout },
    http: {
      method: 'POST',
      path: `/api/v1/payouts?payer=${state.people[payer]!.name}`,
      body: { rows: file },
      headers: headersOf(context),
    },
  };
};

const change = (context: Context, name: string, verb: string, call: Call, body?: unknown): Action => {
  const [payout] = findActive(context)!;
  return {
    name: `${verb} payout`,
    text: `${name}: ${verb} ${payout}`,
    call,
    http: {
      method: 'POST',
      path: `/api/v1/payouts/${context.world.names.id(payout)}/${verb}`,
      body,
      headers: headersOf(context),
    },
    isRepeatable: true,
  };
};

/** Confirms the file, or approves what waits for approvals. */
export const goOn: Draw = (context) => {
  const { random } = context;
  const [payout, active] = findActive(context) ?? [];
  if (!payout || !active) return undefined;
  if (active.state === 'approving') {
    const by = random.pick(['anna', 'rita', 'rolf'] as const);
    return {
      name: 'approve payout',
      text: `${by} approves ${payout}`,
      call: { do: 'approvePayout', payout, by },
      run: () => approve(context, payout, by),
    };
  }
  if (active.state !== 'checked') return undefined;
  const total = active.rows.reduce((sum, { amount }) => sum + amount, 0n);
  const body = { count: active.rows.length, total: String(usdcNumber(total)) };
  return change(
    context,
    'the service',
    'confirm',
    { do: 'confirmPayout', payout, threshold: context.world.setting.approvalThreshold },
    body,
  );
};

const decide: Draw = (context) => {
  const { random } = context;
  const [payout, active] = findActive(context) ?? [];
  if (!payout || !active) return undefined;
  const goesOn = random.chance(active.state === 'checked' ? 0.9 : 0.8);
  return (
    (goesOn ? goOn(context) : undefined) ?? change(context, 'the service', 'cancel', { do: 'cancelPayout', payout })
  );
};

const approve = async ({ world }: Context, payout: string, by: 'anna' | 'rita' | 'rolf') =>
  (await approvePayout(world.operators[by], world.names.id(payout))).outcome;

/** Used before healing, because a file that is not confirmed or waits for money would never end. */
export const cancelActive: Draw = (context) => {
  const [payout] = findActive(context) ?? [];
  return payout === undefined ? undefined : change(context, 'the service', 'cancel', { do: 'cancelPayout', payout });
};

/** The job pays rows, or does nothing while it waits. */
export const runPayouts: Draw = (context) => {
  // Rows to addresses ask a node about them.
  if (context.hasBadNodes) return undefined;
  const call = callOfJob(context);
  return { name: 'job payout', text: 'the worker: payout', job: 'payout', ...(call && { call }) };
};

function callOfJob(context: Context): Some<'runPayout'> | undefined {
  const [payout] = findActive(context) ?? [];
  if (!payout) return undefined;
  const threshold = context.world.setting.approvalThreshold;
  const needs = context.state.payouts[payout]!.rows.map(({ amount }) => neededFor(threshold, amount));
  return { do: 'runPayout', payout, needs };
}

/** Three days pass for the payout in progress, and for every restore. */
export const waitTooLong: Draw = (context) => {
  const { state, world } = context;
  const call = callOfJob(context);
  const at = call && state.payouts[call.payout]!.state;
  // While keys are not confirmed, the time of the restore decides which keys are refused.
  if ((at !== 'running' && at !== 'waiting') || context.hasBadNodes || state.restored?.keys.length) return undefined;
  const move = (days: number) =>
    world.owner.query(`BEGIN; SET LOCAL session_replication_role = replica;
      UPDATE payouts SET waits_until = waits_until + ${days} * interval '1 day';
      UPDATE restores SET noted_at = noted_at + ${days} * interval '1 day'; COMMIT`);
  return {
    name: 'payout waits too long',
    text: `${call!.payout} has waited for days`,
    call: { ...call!, isLate: true },
    run: async () => {
      await move(-4);
      await world.endBackoffs();
      const failed = await JOBS.payout(world.processes.app).then(
        () => undefined,
        (error: Error) => error,
      );
      await move(4);
      if (failed) throw failed;
      return 'unknown';
    },
  };
};

/** Steps that pay the remaining rows to addresses; empty if no row is left. */
export const listRest = (context: Context): readonly Draw[] => {
  const [, active] = findActive(context) ?? [];
  const isOpen = active?.rows.some((row) => row.to === ADDRESS && row.state === 'ready');
  return isOpen ? [goOn, goOn, goOn, runPayouts] : [];
};

export const payoutsDo: readonly (readonly [number, Draw])[] = [
  [12, create],
  [14, decide],
  [44, waitTooLong],
];
