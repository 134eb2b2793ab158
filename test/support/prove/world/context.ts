/** The state of a seed while it runs. */
import type { Answer, Call } from '../model/calls.ts';
import { hasSession } from '../model/names.ts';
import type { State } from '../model/state.ts';
import type { Random } from '../random.ts';
import type { JobName } from './jobs.ts';
import type { Creates, Observer } from './observeWorld.ts';
import type { World } from './openWorld.ts';

export const PEOPLE = ['alice', 'bob', 'lena', 'zed'] as const;
export type PersonName = (typeof PEOPLE)[number];

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers: Record<string, string>;
}

/** One operation of a person, an operator, a worker or the chain. */
export interface Action {
  /** The name under which the action is counted. */
  readonly name: string;
  readonly text: string;
  /** The model's call. Undefined: the action changes nothing in the model, or `expects` gives its answer. */
  readonly call?: Call;
  readonly expects?: Answer;
  readonly creates?: Creates;
  readonly http?: HttpRequest;
  /** The session of the call. */
  readonly as?: { readonly who: string; readonly session: string };
  readonly job?: JobName;
  readonly run?: () => Promise<Answer | undefined>;
  /** The answer, as one word or a few, of a successful call that reads. */
  // biome-ignore lint/suspicious/noExplicitAny: answers have many shapes
  readonly read?: (body: any) => Answer;
  /** Called with the body of a successful answer. */
  // biome-ignore lint/suspicious/noExplicitAny: answers have many shapes
  readonly learn?: (body: any) => void;
  /** Whether repeating the call has no further effect. */
  readonly isRepeatable?: boolean;
}

export interface Context {
  readonly world: World;
  readonly random: Random;
  readonly observer: Observer;
  state: State;
  /** Access tokens by the name of their session, including ended sessions. */
  readonly tokens: Map<string, { readonly who: PersonName; readonly token: string }>;
  readonly addresses: Record<PersonName, string>;
  /** Calls whose outcome their clients do not know. */
  readonly unsure: Unsure[];
  /** An event has occurred after which a send may fail by itself. */
  mayFail: boolean;
  /** At least one node is faulty, so operations that need the chain may be unavailable. */
  hasBadNodes: boolean;
  /** The standby replays nothing now. */
  isStandbyBehind: boolean;
  /** Secrets of service keys by name. */
  readonly secrets: Map<string, string>;
  /** The newest backup of the database. */
  backup: Backup | undefined;
  /** What operators and people have still to do, because of what has happened. Other things may come in between. */
  readonly planned: ((context: Context) => Action | Promise<Action> | undefined)[];
  /** The calls for sends, by their names: clients keep what they have sent. */
  readonly sent: Map<string, Action>;
  /** Webhooks of Sumsub that are on their way, in no order. */
  readonly notices: { readonly who: PersonName; readonly event: string }[];
  /** A new name with this beginning. */
  next(kind: string): string;
}

interface Backup {
  readonly state: State;
  /** Calls whose outcome their clients did not know then. */
  readonly unsure: readonly Unsure[];
  restore(): Promise<void>;
}

export interface Unsure {
  readonly action: Action;
  /** The answer that a repeated call must get; undefined if the call never took effect. */
  readonly outcome: Answer | undefined;
}

export type Draw = (context: Context) => Action | undefined;

/** One pass of a worker's job. */
export const workerDoes =
  (job: JobName): Draw =>
  () => ({ name: `job ${job}`, text: `the worker: ${job}`, job });

export const usdcNumber = (amount: bigint): number => Number(amount) / 1_000_000;

export const AMOUNTS = [1_000_000n, 5_000_000n, 12_500_000n, 20_000_000n, 33_000_001n, 60_000_000n, 61_000_000n];

/** A session, in most cases a valid one. */
export function drawSession({ random, state, tokens }: Context, who: PersonName) {
  const own = [...tokens].filter(([, one]) => one.who === who);
  const good = own.filter(([name]) => hasSession(state, who, name));
  const chosen = good.length > 0 && random.chance(0.95) ? random.pick(good) : random.pick(own);
  const [session, { token }] = chosen;
  return { session, as: { who, session }, headers: { authorization: `Bearer ${token}` } };
}
