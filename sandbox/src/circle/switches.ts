import { z } from 'zod';
import { STATES } from './records.ts';

/**
 * Deliberate faults. This is the body of `POST /switches`; an omitted member keeps its value, null switches it off.
 * `count` is the number of requests or transactions that it applies to; without it, all until it is switched off.
 */
const count = z.int().min(1).max(1_000_000).optional();

const switchesSchema = z.strictObject({
  /** Faults of the API's answers. */
  answers: z
    .strictObject({
      /**
       * `silent_after`: carried out, and never answered. `cut_after`: carried out, and the connection breaks.
       * `error_after`: carried out, and answered 500. `error`, `busy`: not carried out, and answered 500 or 429.
       */
      kind: z.enum(['silent_after', 'cut_after', 'error_after', 'error', 'busy']),
      /** Only requests whose method and path contain this text, like `POST` or `/sign/`. */
      only: z.string().min(1).max(100).optional(),
      count,
    })
    .nullable()
    .optional(),
  /** The outcome of new transactions. */
  fate: z
    .strictObject({
      state: z.enum(['STUCK', 'DENIED', 'FAILED']),
      /** The reason, for FAILED. */
      reason: z.string().max(100).default('ESTIMATION_ERROR'),
      count,
    })
    .nullable()
    .optional(),
  /** Transactions that reach this state stay in it. */
  hold: z.enum(STATES).nullable().optional(),
  webhooks: z
    .strictObject({
      late_ms: z.int().min(0).max(600_000).default(0),
      twice: z.boolean().default(false),
      /** The notifications of a transaction wait until it has ended, and are then sent last first. */
      disorder: z.boolean().default(false),
      never: z.boolean().default(false),
    })
    .nullable()
    .optional(),
  /** The outcome of a transfer that exceeds the balance. Circle has shown both. */
  underfunded: z.enum(['refuse', 'fail_later']).optional(),
  /** Forms of a signature that libraries accept and the token refuses, and a signature by someone else. */
  signatures: z.enum(['normal', 'v_0_or_1', 'high_s', 'other_signer']).optional(),
  /** Circle's limits of requests per second. */
  limits: z.boolean().optional(),
  /** Whether plain wallets (EOA) get gas when they need it, or need their own as at Circle. */
  gas: z.enum(['needed', 'given']).optional(),
  /** The lifetime of an idempotency key; null: it never expires. */
  keys_live_ms: z.int().min(0).max(86_400_000).nullable().optional(),
  /** The time during which lists omit a new transaction, although it can be read by its id. */
  list_lag_ms: z.int().min(0).max(86_400_000).optional(),
  /** Faults in the reports of incoming coins. */
  arrivals: z
    .strictObject({
      /** They are not complete yet, are in an undocumented state, or lack a member. */
      by_id: z.enum(['CONFIRMED', 'SETTLING', 'no_token', 'no_hash', 'no_destination', 'no_amount']).optional(),
      /** The sender is not named, or the sender's token account is named instead. */
      source: z.enum(['none', 'token_account']).optional(),
      /** New arrivals on Solana and Aptos are dated this far in the past, as if Circle had noticed them late. */
      late_ms: z.int().min(0).max(86_400_000).default(0),
    })
    .nullable()
    .optional(),
  /** Addresses of frozen wallets: they neither sign nor send. */
  freeze: z.array(z.string().max(100)).max(100).optional(),
  /** Both are in Circle's documentation. */
  cancelled_word: z.enum(['CANCELLED', 'CANCELED']).optional(),
  /** Cancellations are refused, as in an ineligible state. */
  refuse_cancel: z.boolean().optional(),
  /** Cancelled transactions no longer name the hash of a chain transaction. */
  hide_cancelled_hash: z.boolean().optional(),
  /** Transactions, by id, that are answered 404 and no longer listed. Work that was begun continues. */
  lost: z.array(z.guid()).max(100).optional(),
});

export type SwitchChange = z.input<typeof switchesSchema>;
type Given = z.output<typeof switchesSchema>;

export interface Switches {
  answers: NonNullable<Given['answers']> | null;
  fate: NonNullable<Given['fate']> | null;
  hold: NonNullable<Given['hold']> | null;
  webhooks: NonNullable<Given['webhooks']>;
  underfunded: 'refuse' | 'fail_later';
  signatures: NonNullable<Given['signatures']>;
  limits: boolean;
  gas: 'needed' | 'given';
  keys_live_ms: number | null;
  list_lag_ms: number;
  arrivals: NonNullable<Given['arrivals']> | null;
  freeze: readonly string[];
  cancelled_word: 'CANCELLED' | 'CANCELED';
  refuse_cancel: boolean;
  hide_cancelled_hash: boolean;
  lost: readonly string[];
}

export const normalSwitches = (limits = true, gas: Switches['gas'] = 'needed'): Switches => ({
  answers: null,
  fate: null,
  hold: null,
  webhooks: { late_ms: 0, twice: false, disorder: false, never: false },
  underfunded: 'refuse',
  signatures: 'normal',
  limits,
  gas,
  keys_live_ms: null,
  list_lag_ms: 0,
  arrivals: null,
  freeze: [],
  cancelled_word: 'CANCELLED',
  refuse_cancel: false,
  hide_cancelled_hash: false,
  lost: [],
});

export function turnSwitches(switches: Switches, change: SwitchChange): void {
  const { webhooks, ...others } = switchesSchema.parse(change);
  for (const [name, value] of Object.entries(others)) {
    if (value !== undefined) Object.assign(switches, { [name]: value });
  }
  if (webhooks !== undefined) switches.webhooks = webhooks ?? normalSwitches().webhooks;
}

/** The fault for the answer to this request; undefined if there is none. Decrements its count. */
export function takeAnswerFault(switches: Switches, method: string, path: string) {
  const fault = switches.answers;
  if (!fault || (fault.only !== undefined && !`${method} ${path}`.includes(fault.only))) return undefined;
  switches.answers = countDown(fault);
  return fault.kind;
}

/** The outcome that a switch chooses for a new transaction. Decrements its count. */
export function takeFate(switches: Switches) {
  const { fate } = switches;
  if (!fate) return null;
  switches.fate = countDown(fate);
  return { state: fate.state, reason: fate.reason };
}

function countDown<Counted extends { count?: number | undefined }>(one: Counted): Counted | null {
  if (one.count === undefined) return one;
  return one.count > 1 ? { ...one, count: one.count - 1 } : null;
}
