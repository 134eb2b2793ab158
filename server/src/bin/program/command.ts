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
   * first, after it has parsed its command line.
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

interface Spoken<Own extends Options> {
  readonly words: readonly string[];
  readonly options: Given<Own>;
}

export interface Verb<Own extends Options = Options> {
  /** One line, without a full stop. */
  readonly summary: string;
  /** More text for `--help`. */
  readonly about?: string;
  /** The words after the verb: `PAYMENT`, or `[BLOCK]` if it is optional. The last may be `NAME…`: one or more. */
  readonly words?: readonly string[];
  readonly options?: Own;
  /** Without `florin`. */
  readonly examples?: readonly string[];
  /** The verb changes nothing and has `--json`. */
  readonly reads?: true;
  /** Never uses a sandbox that runs here: the database must be given explicitly. */
  readonly ignoresSandbox?: true;
  /** Text, or a richer answer. Undefined: the command keeps running, like a server. */
  run(context: Context, given: Spoken<Own>): Promise<Answer | string | undefined>;
}

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

export const optionsOf = (one: Verb): Options => ({ ...one.options, ...(one.reads && JSON_OPTION), ...COMMON });
