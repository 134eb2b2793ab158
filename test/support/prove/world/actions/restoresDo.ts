/** Backups, and restores as the operators' guide describes them (docs/operating/restore.md). */
import type { Db, Tx } from '../../../../../server/src/db/database.ts';
import { backUp } from '../../../database/turnBack.ts';
import { operate } from '../../../operate.ts';
import type { Call } from '../../model/calls.ts';
import { goBack, confirmKeys as noteConfirmed } from '../../model/restores.ts';
import type { State } from '../../model/state.ts';
import { type Context, type Draw, PEOPLE, type Unsure, workerDoes } from '../context.ts';
import { mineFinal } from './chainDoes.ts';
import { importMove } from './importsDo.ts';
import { create, goOn, listRest, PAYOUT_KEY, runPayouts, waitTooLong } from './payoutsDo.ts';
import { logIn, payAll, repeatLost, sendFreely } from './peopleDo.ts';

/** Through the owner's connection, so that nothing is left open when a seed ends. */
function ownerDb({ owner }: Context['world']): Db {
  let turn: Promise<unknown> = Promise.resolve();
  const query = (text: string, values?: unknown[]) => {
    const asked = turn.then(async () => (await owner.query(text, values)).rows);
    turn = asked;
    return asked;
  };
  const tx = async (work: (tx: Tx) => Promise<unknown>) => {
    await owner.query('BEGIN');
    await work({ query } as unknown as Tx);
    await owner.query('COMMIT');
  };
  return { query, tx } as unknown as Db;
}

/** Makes the chain pay what people have sent. */
const CARRIED: readonly Draw[] = [...(['submit', 'start', 'carry'] as const).map(workerDoes), mineFinal];

const takeBackup: Draw = (context) => {
  if (context.backup && context.random.chance(0.7)) return undefined;
  // A payout that has begun, and whose rows the chain pays after the backup.
  const payout = context.random.chance(0.4) ? create(context) : undefined;
  if (payout) {
    context.planned.push(goOn, goOn, goOn, takeBackup);
    return payout;
  }
  const isFollowed = context.random.chance(0.8);
  return {
    name: 'back up',
    text: 'a backup is taken',
    run: async () => {
      const undo = await backUp(ownerDb(context.world));
      context.backup = { state: structuredClone(context.state), unsure: [...context.unsure], restore: undo };
      if (!isFollowed) return undefined;
      const rows = listRest(context);
      context.planned.push(...(rows.length > 0 ? rows : [sendFreely, sendFreely]), ...CARRIED, mineFinal);
      if (context.random.chance(0.7)) context.planned.push(restore);
      return undefined;
    },
  };
};

const restore: Draw = (context) => {
  const { backup, random, state, world } = context;
  if (!backup) return undefined;
  // A restore that loses no send teaches less.
  const losesSends = Object.keys(state.sends).some((id) => !backup.state.sends[id]);
  if (!losesSends && random.chance(0.8)) return undefined;
  const isRestarted = random.chance(0.5);
  const hasEnded = PEOPLE.some((who) =>
    backup.state.people[who]!.sessions.some((one) => !state.people[who]!.sessions.includes(one)),
  );
  // The guide allows it only if no session was ended since.
  const confirmsSessions = !hasEnded && random.chance(0.5);
  return {
    name: 'restore',
    text: `the backup is restored, and servers are ${isRestarted ? 'restarted' : 'left running'}`,
    expects: 'restored',
    run: async () => {
      await backup.restore();
      await context.observer.rewind(backup.state);
      context.state = goBack(context.state, { backup: backup.state, confirmsSessions });
      forget(context, backup.unsure);
      await operate(world.operators.ada, 'restore', 'note', '--why', 'the world says so');
      if (isRestarted) await world.reopen();
      const faults = await tryForbidden(context);
      if (confirmsSessions) await operate(world.operators.ada, 'restore', 'confirm', 'sessions');
      else context.planned.push(...PEOPLE.map((who) => (later: Context) => logInAgain(later, who)));
      context.planned.push(
        ...random.shuffle([confirmKeys, mineFinal, runPayouts]),
        ...(random.chance(0.3) ? [repeatLost] : []),
        workerDoes('track'),
        ...Array<Draw>(4).fill(spendAll),
        runPayouts,
        waitTooLong,
        importMove,
        importMove,
        runPayouts,
        waitTooLong,
      );
      // The chain pays more, which a second restore of the same backup loses.
      if (random.chance(0.3)) context.planned.push(sendFreely, ...CARRIED, restore);
      return faults.join('; ') || 'restored';
    },
  };
};

/** Whoever has paid someone outside, and has their money back, spends it before the import: they will owe it. */
export const spendAll: Draw = (context) => {
  const { restored, people } = context.state;
  const payers = PEOPLE.filter((who) => restored?.payers.includes(who) && people[who]!.available > 0n);
  return payers.length > 0 ? payAll(context, context.random.pick(payers)) : undefined;
};

/** Until then workers pay no rows of payouts, and keys are refused. */
export const confirmKeys: Draw = (context) => {
  if (!context.state.restored?.keys.length) return undefined;
  return {
    name: 'confirm keys',
    text: 'ada confirms the keys',
    expects: 'confirmed',
    run: async () => {
      const state = structuredClone(context.state);
      noteConfirmed(state);
      await operate(context.world.operators.ada, 'restore', 'confirm', 'keys');
      context.state = state;
      return 'confirmed';
    },
  };
};

const logInAgain = (context: Context, who: (typeof PEOPLE)[number]) =>
  context.state.people[who]!.closed ? undefined : logIn(context, who);

/** Clients keep what they know. Their calls about things that are gone cannot be repeated. */
function forget({ state, secrets, unsure }: Context, before: readonly Unsure[]): void {
  for (const key of secrets.keys()) if (!state.keys[key]) secrets.delete(key);
  const left = unsure.filter(({ action: { call } }) => !call || isAbout(state, call));
  unsure.splice(
    0,
    unsure.length,
    // Answers that were stored since the backup are gone.
    ...left.map((one) => (before.includes(one) ? one : { ...one, outcome: undefined })),
  );
}

function isAbout(state: State, call: Call): boolean {
  if ('request' in call) return call.request in state.requests;
  return !('payout' in call) || call.payout in state.payouts;
}

/** Keys and sessions from before the restore must not work until an operator confirms them. Returns faults. */
async function tryForbidden({ world, secrets, state, tokens }: Context): Promise<string[]> {
  const faults: string[] = [];
  const ask = async (what: string, path: string, token: string) => {
    const { status } = await world.processes.call('GET', path, undefined, { authorization: `Bearer ${token}` });
    if (status !== 401) faults.push(`${what} works after the restore: ${status}`);
  };
  await ask('a key', `/api/v1/payouts/${world.names.id('alice')}`, secrets.get(PAYOUT_KEY)!);
  const [session] = state.people.alice!.sessions.filter((one) => tokens.has(one));
  if (session) await ask('a session', '/api/v1/me', tokens.get(session)!.token);
  return faults;
}

export const restoresDo: readonly (readonly [number, Draw])[] = [
  [12, takeBackup],
  [6, restore],
];
