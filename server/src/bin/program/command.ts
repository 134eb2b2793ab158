/**
 * The types of `florin`'s commands. `florin NOUN VERB WORDS --options`: a noun is a file of `cli/`, listed in
 * `cli/nouns.ts`, and has verbs; a command without verbs (`florin doctor`) is a verb by itself. Parsing, help,
 * completion, `--json` and exit codes are derived from a verb's description here, so no command implements its own.
 */
import type { Chain } from '../../core/ports.ts';
import type { Db } from '../../db/database.ts';
import type { Deed } from '../../operators/operators.ts';
import type { AuditActor } from '../../operators/recordAudit.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  /** The option can be given several times. */
  readonly multiple?: true;
  /** The placeholder for its value in the help, such as USDC. */
  readonly value?: string;
  readonly summary: string;
}

export type Options = Readonly<Record<string, Option>>;

type ValueOf<One extends Option> = One extends { readonly type: 'boolean' }
  ? boolean
  : One extends { readonly multiple: true }
    ? readonly string[]
    : string;

/** The values of the given options. */
export type Given<Own extends Options> = { readonly [Name in keyof Own]?: ValueOf<Own[Name]> };

/** The resources of a command. Each is opened at first use. */
export interface Context {
  readonly db: Db;
  /** The configured blockchains. */
  chains(): Promise<readonly Chain[]>;
  /**
   * Throws unless the operator's role allows the action; returns the operator. Every command that writes calls this
   * first, after it has parsed its command line and before it plans.
   */
  allow(deed: Deed): Promise<AuditActor>;
  /** Prints a line immediately, for long-running work. */
  say(line: string): void;
}

export interface Answer {
  /** For people; ends with a line end. */
  readonly text: string;
  /** For scripts (`--json`): names in snake_case, amounts as text. Every verb that `reads` has it. */
  readonly json?: unknown;
  /** A check has failed: exit code 1. */
  readonly isBad?: boolean;
}

/** What a command is about to change. The operator sees it and agrees before it is carried out. */
export interface Plan {
  /** What happens, as a sentence: `Approve this send, as operator anna.` */
  readonly title: string;
  /** What an operator needs to know to decide. */
  readonly facts?: readonly Fact[];
  /** What is, and what will be. */
  readonly changes?: readonly { readonly what: string; readonly before: string; readonly after: string }[];
  /** What could go wrong. */
  readonly warning?: string | undefined;
  /** Safe to repeat, and nothing can be lost: it is carried out without a question, because install scripts run it. */
  readonly isRoutine?: true;
  carryOut(): Promise<Answer | string>;
}

/** Facts without a value are not shown. */
export type Fact = readonly [name: string, value: string | undefined];

interface Spoken<Own extends Options> {
  readonly words: readonly string[];
  readonly options: Given<Own>;
}

interface Described<Own extends Options> {
  /** One line, without a full stop. */
  readonly summary: string;
  /** More text for `--help`. */
  readonly about?: string;
  /** The words after the verb: `PAYMENT`, or `[BLOCK]` if it is optional. The last may be `NAME…`: one or more. */
  readonly words?: readonly string[];
  readonly options?: Own;
  /** Without `florin`. */
  readonly examples?: readonly string[];
  /** Never uses a sandbox that runs here: the database must be given explicitly. */
  readonly ignoresSandbox?: true;
}

interface Running<Own extends Options> extends Described<Own> {
  /** The verb changes nothing and has `--json`. */
  readonly reads?: true;
  /** Text, or a richer answer. Undefined: the command keeps running, like a server. */
  run(context: Context, given: Spoken<Own>): Promise<Answer | string | undefined>;
  readonly plan?: undefined;
}

/** A verb that changes something: it reads, checks and plans, and changes nothing until `carryOut`. */
interface Changing<Own extends Options> extends Described<Own> {
  readonly reads?: undefined;
  readonly run?: undefined;
  /** An answer instead of a plan: there is nothing to change. */
  plan(context: Context, given: Spoken<Own>): Promise<Plan | Answer | string>;
}

export type Verb<Own extends Options = Options> = Running<Own> | Changing<Own>;

export interface Noun {
  /** For `florin NOUN --help`. */
  readonly about: string;
  readonly verbs: Readonly<Record<string, Verb>>;
  /** Runs if the word after the noun is not the name of a verb: `florin payout FILE`. */
  readonly otherwise?: Verb;
}

/** Checks a verb's types against its own options. */
export const verb = <const Own extends Options = Record<never, never>>(one: Verb<Own>): Verb => one as unknown as Verb;

/** A row of the table of nouns. Its file is loaded on use: most commands need little of the server. */
export interface Entry {
  /** One line, without a full stop. */
  readonly summary: string;
  load(): Promise<{ readonly default: Noun | Verb }>;
}

/** Groups of nouns by name, as `florin --help` shows them. */
export type Nouns = Readonly<Record<string, Readonly<Record<string, Entry>>>>;

export const hasVerbs = (one: Noun | Verb): one is Noun => 'verbs' in one;

/** Every verb has these options. */
const COMMON: Options = {
  'env-file': { type: 'string', value: 'FILE', summary: 'variables that the environment does not set' },
  help: { type: 'boolean', summary: 'show this text' },
};

const JSON_OPTION: Options = { json: { type: 'boolean', summary: 'print JSON, for scripts' } };

const YES_OPTION: Options = { yes: { type: 'boolean', summary: 'do not ask: carry out the plan, for scripts' } };

export const optionsOf = (one: Verb): Options => ({
  ...one.options,
  ...(one.reads && JSON_OPTION),
  ...(one.plan && YES_OPTION),
  ...COMMON,
});
