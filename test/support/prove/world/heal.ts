/** Ends all faults, does what the guides tell operators to do, and lets workers work until nothing is left to do. */
import { isFinal } from '../../../../sandbox/src/circle/records.ts';
import { resumePayments } from '../../../../server/src/operators/pauses.ts';
import { approvePayment } from '../../../../server/src/payments/sends/approvePayment.ts';
import { operate } from '../../operate.ts';
import { listUnended } from '../../properties/listUnended.ts';
import { coverLoss, denyAll } from './actions/correctionsDo.ts';
import { collectDebt, fundDebtor, importAll } from './actions/importsDo.ts';
import { cancelActive } from './actions/payoutsDo.ts';
import { repeatLost } from './actions/peopleDo.ts';
import { confirmKeys, spendAll } from './actions/restoresDo.ts';
import type { Action, Context } from './context.ts';
import { PEOPLE } from './context.ts';
import { JOB_NAMES, JOBS } from './jobs.ts';
import { EXPIRY_SECONDS, FINALITY_BLOCKS } from './setting.ts';

const ROUNDS = 30;
const CALM_BLOCKS = 50;
/** What payers have spent cannot pay for what is imported later: that becomes a debt. */
const PAYMENTS_BEFORE_IMPORTS = 4;
/** In the first rounds, clients repeat what a restore has lost, and operators collect debts. */
const ROUNDS_OF_CLIENTS = 6;

type Step = (action: Action) => Promise<string[]>;

export async function heal(context: Context, step: Step): Promise<string[]> {
  const { world } = context;
  await world.places.heal();
  context.hasBadNodes = false;
  context.isStandbyBehind = false;
  await world.stage.standby?.resume();
  const faults: string[] = [];
  const act = async (action: Action) => void faults.push(...(await step(action)));
  for (const who of PEOPLE) {
    if (!context.state.people[who]!.pausedFor.includes('operator')) continue;
    await act({
      name: 'resume',
      text: `ada resumes ${who}`,
      call: { do: 'resume', who },
      run: async () =>
        (await resumePayments(world.operators.ada, `user:${world.names.id(who)}`, 'operator'))
          ? 'resumed'
          : 'not paused',
    });
  }
  await endPauses(context);
  const confirmed = confirmKeys(context);
  if (confirmed) await act(await confirmed);
  const last = cancelActive(context);
  if (last) await act(last);
  await denyAll(context, act);
  // Fees return to normal by an eighth per block.
  await act({
    name: 'mine',
    text: `${CALM_BLOCKS} blocks`,
    run: async () => void (await world.places.mine(CALM_BLOCKS)),
  });
  for (let i = 0; i < PAYMENTS_BEFORE_IMPORTS; i++) {
    const action = await spendAll(context);
    if (action) await act(action);
  }
  let calmRounds = 0;
  for (let round = 0; round < ROUNDS && faults.length === 0; round++) {
    await act({ name: 'healing', text: 'healing: every job', run: () => work(context, round) });
    await world.places.mine(FINALITY_BLOCKS + 1);
    await decideWaiting(context, act);
    await decideHeld(context, act);
    await importAll(context, act);
    for (const draw of round < ROUNDS_OF_CLIENTS ? [repeatLost, collectDebt, fundDebtor] : []) {
      const action = await draw(context);
      if (action) await act(action);
    }
    // Until then, collected debts may cover it.
    const deposit = round === ROUNDS_OF_CLIENTS ? await coverLoss(context) : undefined;
    if (deposit) await act(deposit);
    // Circle may still be sending what a restored database does not know.
    const isCalm = (await listUnended(world.db)).length === 0 && !isSending(context);
    calmRounds = isCalm ? calmRounds + 1 : 0;
    if (round >= 2 && calmRounds > 1) break;
    // Before the imports, the service may have found a difference and paused. If it lasts, the next round finds it again.
    if (calmRounds === 1 || round === 10) await endPauses(context);
    if (round !== 10) continue;
    faults.push(...(await listUncancelled(world)));

    // Only time ends what was signed and can no longer be paid: an import took the coins of a settlement. And only time
    // ends a send that the signer refuses and that may have been signed before a restore.
    await world.places.mine(1, EXPIRY_SECONDS);
    await world.owner.query(`UPDATE restores SET noted_at = noted_at - interval '3 hours'`);
  }
  await world.places.mine(5);
  await act({ name: 'job track', text: 'healing: track', job: 'track' });
  return faults;
}

const isSending = ({ world }: Context): boolean =>
  world.places.double?.control.transactions().some(({ state }) => !isFinal(state)) ?? false;

/** Lists sends whose cancellation was requested after a restore, and that nobody has cancelled on the chain by now. */
async function listUncancelled({ owner, names }: Context['world']): Promise<string[]> {
  const { rows } = await owner.query<{ id: string }>(
    `SELECT move_id AS id FROM coin_moves m LEFT JOIN authorizations a USING (move_id)
      WHERE m.rail = 'eip3009' AND m.state = 'open' AND m.purpose = 'send' AND m.cancel_wanted_at IS NOT NULL
        AND coalesce(a.valid_before, 0) = 0 AND coalesce(a.cancel_refusals, 0) = 0`,
  );
  return rows.map(({ id }) => `${names.nameOf(id) ?? id} is to be cancelled, and is not`);
}

/** Runs one pass of every job. A job that fails runs again in the next round. */
async function work({ world }: Context, round: number): Promise<string> {
  const failed: string[] = [];
  await world.endBackoffs();
  await world.endRefusals();
  for (const job of JOB_NAMES) {
    // Rarely, because each further settlement moves smaller amounts.
    if (job === 'settle' && round > 1 && round % 5 > 0) continue;
    await JOBS[job](world.processes.app).catch((error: Error) => failed.push(`${job} failed: ${error.message}`));
  }
  return failed.join('; ') || 'done';
}

/** Two operators approve what waits for them. */
async function decideWaiting(context: Context, act: (action: Action) => Promise<void>): Promise<void> {
  for (const [payment, send] of Object.entries(context.state.sends)) {
    if (send.needed === 0 || send.ended !== null || send.state !== 'INITIATED') continue;
    for (const by of (['anna', 'rita', 'rolf'] as const).filter((one) => !send.approvals.includes(one))) {
      if (context.state.sends[payment]!.state !== 'INITIATED') break;
      await act({
        name: 'approve',
        text: `healing: ${by} approves ${payment}`,
        call: { do: 'approve', payment, by },
        run: async () =>
          (await approvePayment({ db: context.world.operators[by] }, context.world.names.id(payment))).outcome,
      });
    }
  }
}

/**
 * Circle forgets keys after an hour. Two operators decide about a transfer that it may have got and does not know: Circle
 * answers well now, so it never made it. Until a worker has ended such a transfer, it is still listed.
 */
async function decideHeld(context: Context, act: (action: Action) => Promise<void>): Promise<void> {
  const { anna, rita } = context.world.operators;
  const said = await operate(anna, 'transfer', 'held', '--json');
  const { held } = JSON.parse(said) as { held: { move_id: string; approved_by: string | null }[] };
  for (const { move_id: id, approved_by: approver } of held) {
    if (approver !== null) continue;
    await act({
      name: 'decide held transfer',
      text: `anna and rita: Circle never made the transfer of ${context.world.names.nameOf(id) ?? 'a settlement'}`,
      expects: 'Decided.',
      run: async () => {
        context.mayFail = true;
        const said = await operate(anna, 'transfer', 'never-made', id, '--why', 'Circle does not know it');
        return (await operate(rita, 'transfer', 'approve', /Proposed as (\S+)\./.exec(said)![1]!)).trim();
      },
    });
  }
}

/** The service pauses sends when something looks wrong. An operator checks and resumes; an import ends `unexplained`. */
async function endPauses({ world }: Context): Promise<void> {
  const { rows } = await world.owner.query<{ scope: `chain:${string}`; cause: 'operator' }>(
    `SELECT scope, cause FROM pauses WHERE scope NOT LIKE 'user:%' AND cause <> 'unexplained'`,
  );
  for (const { scope, cause } of rows) await resumePayments(world.operators.ada, scope, cause);
}
