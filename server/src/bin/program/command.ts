/**
 * What commands of `florin` are made of. `florin NOUN VERB WORDS --options`: a noun is a file of `cli/`, listed in
 * `cli/nouns.ts`, and has verbs; a command without verbs (`florin doctor`) is a verb alone. Parsing, help, completion,
 * `--json` and exit codes follow from what a verb says about itself here, so that no command has its own.
 */
import type { Chain } from '../../core/ports.ts';
import type { Db } from '../../db/database.ts';
import type { Deed } from '../../operators/operators.ts';
import type { AuditActor } from '../../operators/recordAudit.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  /** It may be given several times. */
  readonly multiple?: true;
  /** Stands for its value in the help, such as USDC. */
  readonly value?: string;
  readonly says: string;
}

export type Options = Readonly<Record<string, Option>>;

type ValueOf<One extends Option> = One extends { readonly type: 'boolean' }
  ? boolean
  : One extends { readonly multiple: true }
    ? readonly string[]
    : string;

/** What was given of these options. */
export type Given<Own extends Options> = { readonly [Name in keyof Own]?: ValueOf<Own[Name]> };

/** What a command works with. Nothing is opened before it is asked for. */
export interface Context {
  readonly db: Db;
  /** The configured blockchains. */
  chains(): Promise<readonly Chain[]>;
  /**
   * Throws unless the operator's role allows it; answers who they are. Every command that writes begins with this, after
   * it has read its command line.
   */
  allow(deed: Deed): Promise<AuditActor>;
  /** Prints a line at once, for work that takes long. */
  say(line: string): void;
}

export interface Answer {
  /** For people; ends with a line end. */
  readonly text: string;
  /** For scripts (`--json`): names in snake_case, amounts as text. A verb that `reads` has it. */
  readonly json?: unknown;
  /** What was checked is not as it should be: exit code 1. */
  readonly isBad?: boolean;
}

interface Spoken<Own extends Options> {
  readonly words: readonly string[];
  readonly options: Given<Own>;
}

export interface Verb<Own extends Options = Options> {
  /** One line, without a full stop. */
  readonly says: string;
  /** More, for `--help`. */
  readonly about?: string;
  /** What follows the verb: `PAYMENT`, or `[BLOCK]` when it may be left out. The last may be `NAME…`: one or more. */
  readonly words?: readonly string[];
  readonly options?: Own;
  /** Without `florin`. */
  readonly examples?: readonly string[];
  /** It changes nothing, and has `--json`. */
  readonly reads?: true;
  /** It never uses a sandbox that runs here: it has to be told what to run on. */
  readonly ignoresSandbox?: true;
  /** Text, or an answer with more than that. Undefined: it goes on by itself, like a server. */
  run(context: Context, given: Spoken<Own>): Promise<Answer | string | undefined>;
}

export interface Noun {
  /** For `florin NOUN --help`. */
  readonly about: string;
  readonly verbs: Readonly<Record<string, Verb>>;
}

/** Checks a verb against its own options. */
export const verb = <const Own extends Options = Record<never, never>>(one: Verb<Own>): Verb => one as unknown as Verb;

/** A row of the table of nouns. Its file is loaded when it is used: most commands need little of the server. */
export interface Entry {
  /** One line, without a full stop. */
  readonly says: string;
  load(): Promise<{ readonly default: Noun | Verb }>;
}

/** Groups of nouns by name, as `florin --help` shows them. */
export type Nouns = Readonly<Record<string, Readonly<Record<string, Entry>>>>;

export const hasVerbs = (one: Noun | Verb): one is Noun => 'verbs' in one;

/** Every verb takes these. */
const COMMON: Options = {
  'env-file': { type: 'string', value: 'FILE', says: 'variables to use where the environment has none' },
  help: { type: 'boolean', says: 'this text' },
};

const JSON_OPTION: Options = { json: { type: 'boolean', says: 'the same for scripts, as JSON' } };

export const optionsOf = (one: Verb): Options => ({ ...one.options, ...(one.reads && JSON_OPTION), ...COMMON });
