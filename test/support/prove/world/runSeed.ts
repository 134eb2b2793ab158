/**
 * Runs one seed: a service starts, a hundred or more events happen to it, it heals, and everything is compared with the
 * model.
 */
import { operate } from '../../operate.ts';
import { hasSession, isKeyRefused, NOT_STORED } from '../model/names.ts';
import { renderState } from '../model/state.ts';
import { openRandom, type Random } from '../random.ts';
import { chainDoes, deposit } from './actions/chainDoes.ts';
import { correctionsDo } from './actions/correctionsDo.ts';
import { beginKyc, identityDoes } from './actions/identityDoes.ts';
import { importsDo } from './actions/importsDo.ts';
import { operatorsDo } from './actions/operatorsDo.ts';
import { PAYOUT_KEY, payoutsDo, runPayouts } from './actions/payoutsDo.ts';
import { logIn, peopleDo } from './actions/peopleDo.ts';
import { restoresDo } from './actions/restoresDo.ts';
import { type Action, type Context, type Draw, PEOPLE, type PersonName, workerDoes } from './context.ts';
import { heal } from './heal.ts';
import { JOB_NAMES } from './jobs.ts';
import { judgeEnd } from './judgeEnd.ts';
import { judgeStep, plain, predict } from './judgeStep.ts';
import { openObserver } from './observeWorld.ts';
import type { WorldStage } from './openStage.ts';
import { openWorld } from './openWorld.ts';
import { type Mishap, runAction } from './runAction.ts';
import { describeSetting, drawSetting } from './setting.ts';

export interface SeedResult {
  readonly seed: number;
  readonly setting: string;
  /** The events, one line each, without random parts. */
  readonly story: readonly string[];
  /** The state after healing, as text. */
  readonly end: string;
  readonly faults: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** Of this process, without PostgreSQL: tells a slow seed from a busy machine. */
  readonly cpuSeconds: number;
}

const STEPS = 120;

interface RunOptions {
  readonly steps?: number;
  /** Called with each line of the story. */
  readonly onLine?: (line: string) => void;
}

export async function runSeed(
  stage: WorldStage,
  seed: number,
  { steps = STEPS, onLine }: RunOptions = {},
): Promise<SeedResult> {
  const begunMs = performance.now();
  const begunCpu = process.cpuUsage();
  const random = openRandom(seed);
  const setting = drawSetting(random);
  const world = await openWorld(stage, setting);
  const [story, faults, counts]: [string[], string[], Record<string, number>] = [[], [], {}];
  const count = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  let end = '';
  try {
    const context = await begin(world, random);
    const say = (line: string) => {
      story.push(`${story.length + 1}. ${world.names.plain(line)}`);
      onLine?.(story.at(-1)!);
    };
    for (let i = 0; i < steps && faults.length === 0; i++) {
      const action = await draw(context);
      if (action.call?.do === 'send' && !context.sent.has(action.call.id)) context.sent.set(action.call.id, action);
      const mishap = drawMishap(random, action);
      faults.push(...(await step(context, action, mishap, say, count)));
    }
    if (faults.length === 0) {
      faults.push(...(await heal(context, (action) => step(context, action, undefined, say, count))));
      faults.push(...(await judgeEnd(context)));
    }
    end = renderState(context.state);
    counts['answered by the standby'] = await world.processes.countStandbyReads();
    story.push(...faults.map((fault) => `FAULT ${world.names.plain(fault)}`));
  } catch (error) {
    const text = (error as Error).stack ?? String(error);
    faults.push(text);
    story.push(`THROWN ${text}`);
  } finally {
    await world.stage.standby?.resume();
    await world.close();
  }
  const seconds = (performance.now() - begunMs) / 1_000;
  const { user, system } = process.cpuUsage(begunCpu);
  const cpuSeconds = (user + system) / 1_000_000;
  return { seed, setting: describeSetting(setting), story, end, faults, counts, seconds, cpuSeconds };
}

/** Four people log in, take their names and get money. Without faults: everything else needs them. */
async function begin(world: Context['world'], random: Random): Promise<Context> {
  let numbers: Record<string, number> = {};
  const addresses = {} as Record<PersonName, string>;
  const context: Context = {
    world,
    random,
    observer: openObserver(world),
    state: undefined as unknown as Context['state'],
    tokens: new Map(),
    addresses,
    unsure: [],
    mayFail: false,
    hasBadNodes: false,
    isStandbyBehind: false,
    backup: undefined,
    planned: [],
    sent: new Map(),
    notices: [],
    secrets: new Map(),
    next(kind) {
      numbers = { ...numbers, [kind]: (numbers[kind] ?? 0) + 1 };
      return `${kind}${numbers[kind]}`;
    },
  };
  for (const who of PEOPLE) {
    const { http, creates, learn } = await logIn(context, who);
    const { body } = await world.processes.call(http!.method, http!.path, http!.body, {});
    learn!(body);
    world.names.know(who, body.user.user_id);
    world.names.know(creates!.sessions!, body.session_id);
    const named = { user_id: body.user.user_id, username: who };
    await world.processes.call('POST', '/api/v1/set_username', named, { authorization: `Bearer ${body.access_token}` });
    await beginKyc(context, who, body.access_token);
  }
  // Due only after the server has had time to ask itself: on a slow machine it would be one of the steps.
  await world.owner.query(`UPDATE jobs SET run_at = now() WHERE kind = 'wallet'`);
  await runAction(context, { name: 'wallet', text: '', job: 'wallet' }, undefined);
  const { rows } = await world.owner.query<{ user_id: string | null; wallet_id: string; address: string }>(
    `SELECT user_id, wallet_id, address FROM wallets WHERE user_id IS NOT NULL OR kind = 'treasury'`,
  );
  for (const { user_id, wallet_id, address } of rows) {
    const who = user_id === null ? 'treasury' : world.names.nameOf(user_id)!;
    if (user_id !== null) addresses[who as PersonName] = address;
    world.names.know(`wallet ${who}`, wallet_id);
    world.names.know(`address of ${who}`, address.toLowerCase());
  }
  const made = ['key', 'create', PAYOUT_KEY, '--scope', 'payouts', '--any-wallet', '--day', '500'];
  context.secrets.set(PAYOUT_KEY, (await operate(world.operators.ada, ...made)).split('\n')[0]!);
  const keys = await world.owner.query<{ key_id: string }>('SELECT key_id FROM service_keys');
  world.names.know(PAYOUT_KEY, keys.rows[0]!.key_id);
  await world.owner.query(`SET session_replication_role = replica; UPDATE users SET kyc_status = 'approved';
    UPDATE accounts SET tier = 20 WHERE user_id IS NOT NULL; SET session_replication_role = origin`);
  for (const who of PEOPLE) await deposit(context, who, 100).run();
  await world.places.mine(5);
  for (const job of ['gas', 'track'] as const) await runAction(context, { name: job, text: '', job }, undefined);
  context.state = (await context.observer.look({})).state;
  return context;
}

const TABLE: readonly (readonly [number, Draw])[] = [
  ...peopleDo,
  ...operatorsDo,
  ...chainDoes,
  ...payoutsDo,
  ...importsDo,
  ...correctionsDo,
  ...identityDoes,
  ...restoresDo,
  [52, drawJob],
];
/** Each action as often as its weight. */
const TICKETS = TABLE.flatMap(([weight, chosen]) => Array<Draw>(weight).fill(chosen));

function drawJob(context: Context): Action {
  const { random } = context;
  // Jobs that move payments run often, as they do in a worker.
  const job = random.chance(0.45)
    ? random.pick(['submit', 'start', 'carry', 'track'] as const)
    : random.pick(JOB_NAMES);
  if (job === 'payout') return runPayouts(context) ?? drawJob(context);
  return workerDoes(job)(context)!;
}

async function draw(context: Context): Promise<Action> {
  const { random } = context;
  for (;;) {
    if (context.unsure.length > 0 && random.chance(0.2)) return retry(context);
    const planned = context.planned.length > 0 && random.chance(0.5) ? context.planned.shift()!(context) : undefined;
    if (planned) return planned;
    if (random.chance(0.02)) return logIn(context, random.pick(PEOPLE));
    const action = TICKETS[random.int(TICKETS.length)]!(context);
    if (action) return action;
  }
}

/** A client that received no answer asks again with the same key. */
function retry(context: Context): Action {
  const { action, outcome } = context.unsure.splice(context.random.int(context.unsure.length), 1)[0]!;
  const { call, expects, ...rest } = action;
  const again = { ...rest, name: 'retry', text: `again: ${action.text}` };
  const isKeyGone = call?.do === 'send' && call.key !== undefined && isKeyRefused(context.state, call.key);
  if (isKeyGone) return { ...again, expects: 'auth.invalid' };
  if (action.as && !hasSession(context.state, action.as.who, action.as.session))
    return { ...again, expects: 'auth.invalid' };
  // A call that has taken effect does not take effect again, and gets the same answer.
  if (outcome !== undefined) return { ...again, expects: outcome };
  return { ...again, ...(call && { call }), ...(expects !== undefined && { expects }) };
}

function drawMishap(random: Random, action: Action): Mishap | undefined {
  const canCrash = Boolean(action.http ?? action.job);
  const isRead = action.http?.method === 'GET';
  const kind = random.pick(['crash', 'lost answer', 'repeated'] as const);
  const [nth, end] = [1 + random.int(action.job ? 25 : 6), random.pick(['before', 'after'] as const)];
  if (!canCrash || !random.chance(action.job ? 0.15 : 0.2)) return undefined;
  if (action.job) return { kind: 'crash', nth, end };
  // A server starts again in a fifth of a second, so it dies less often than answers get lost.
  // A read goes to the standby or the primary, so its statements are not the same every time.
  return kind === 'crash' ? (isRead ? undefined : { kind, nth, end }) : { kind };
}

async function step(
  context: Context,
  action: Action,
  mishap: Mishap | undefined,
  say: (line: string) => void,
  count: (name: string) => void,
): Promise<string[]> {
  const ran = await runAction(context, action, mishap);
  const happened = ran.died ? `crash ${ran.died}` : mishap && mishap.kind !== 'crash' ? mishap.kind : undefined;
  count(action.name);
  if (ran.died) count(`crash ${action.http ? 'server' : 'worker'}`);
  else if (mishap && mishap.kind !== 'crash') count(mishap.kind);
  const seen = await context.observer.look(action.creates ?? {});
  const { answer } = ran;
  say(`${action.text}${happened ? ` [${happened}]` : ''}: ${answer}`);
  const faults = [...ran.faults, ...seen.faults];
  if (action.expects !== undefined && answer !== 'unknown' && plain(answer) !== plain(action.expects))
    faults.push(`answered ${answer} instead of ${action.expects}`);
  const { call } = action;
  const before = context.state;
  // A job does not report its progress.
  const said = action.job ? 'unknown' : answer;
  const judged = judgeStep(before, { call, answer: said, mayFail: context.mayFail }, seen);
  faults.push(...judged.faults);
  context.state = judged.state;
  if (answer === 'unknown' && action.isRepeatable && call) {
    const expected = predict(structuredClone(before), call);
    // The model remembers the keys of payments, but not of these two calls, so their stored answer is kept here.
    const isKept = (call.do === 'ask' || call.do === 'rename') && !NOT_STORED.includes(expected);
    context.unsure.push({ action, outcome: isKept && judged.isApplied ? expected : undefined });
  }
  return faults;
}
