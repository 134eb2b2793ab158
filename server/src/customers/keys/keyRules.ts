import type { Queryable } from '../../db/database.ts';

/** In millionths of a USDC. Null: no limit. */
export interface KeyLimits {
  readonly payment: bigint | null;
  /** 24 hours. */
  readonly day: bigint | null;
  /** 30 days. */
  readonly month: bigint | null;
}

/** The permissions of a service key within its scopes. The statement that accepts a payment enforces them. */
export interface KeyRules {
  /** True: the key may spend the money of every person. False: only that of `users` and `wallets`. */
  readonly anyPerson: boolean;
  readonly users: readonly string[];
  readonly wallets: readonly string[];
  /** Null: all. */
  readonly blockchains: readonly string[] | null;
  /** First and last address of each range. Null: every address. */
  readonly destinations: readonly (readonly [string, string])[] | null;
  readonly expiresAt: Date | null;
  /** SHA-256 of the only client certificate that may use the key, 64 hexadecimal digits. */
  readonly certificate: string | null;
  /** The only client address ranges that may use the key, such as `10.0.0.0/8`. Null: any address. */
  readonly clients: readonly string[] | null;
  readonly people: KeyLimits;
  /** Null: the key may not spend the treasury's money. Otherwise every limit is an amount. */
  readonly treasury: KeyLimits | null;
}

interface KeyChange {
  readonly keyId: string;
  readonly name: string;
  readonly before: KeyRules | null;
  readonly after: KeyRules;
  /** A database login. */
  readonly changedBy: string;
  readonly reason: string | null;
  readonly changedAt: Date;
}

const NO_LIMITS: KeyLimits = { payment: null, day: null, month: null };

/** May spend no one's money. */
export const NOTHING: KeyRules = {
  anyPerson: false,
  users: [],
  wallets: [],
  blockchains: null,
  destinations: null,
  expiresAt: null,
  certificate: null,
  clients: null,
  people: NO_LIMITS,
  treasury: null,
};

/** May spend the money of every person without limits, but not the treasury's. */
export const ANY_WALLET: KeyRules = { ...NOTHING, anyPerson: true };

type LimitsDocument = Readonly<Record<keyof KeyLimits, string | null>>;

/**
 * The form that `describe_key` returns and `write_key_rules` takes. Amounts are text, because JSON numbers would become
 * floats.
 */
export interface RulesDocument {
  readonly any_person: boolean;
  readonly users: readonly string[];
  readonly wallets: readonly string[];
  readonly blockchains: readonly string[] | null;
  readonly destinations: readonly (readonly [string, string])[] | null;
  readonly expires_at: string | null;
  readonly certificate: string | null;
  readonly clients: readonly string[] | null;
  readonly people: LimitsDocument;
  readonly treasury: LimitsDocument | null;
}

const toLimits = ({ payment, day, month }: LimitsDocument): KeyLimits => ({
  payment: payment === null ? null : BigInt(payment),
  day: day === null ? null : BigInt(day),
  month: month === null ? null : BigInt(month),
});

export const toRules = (document: RulesDocument): KeyRules => ({
  anyPerson: document.any_person,
  users: document.users,
  wallets: document.wallets,
  blockchains: document.blockchains,
  destinations: document.destinations,
  expiresAt: document.expires_at === null ? null : new Date(document.expires_at),
  certificate: document.certificate,
  // Changes recorded before client ranges existed do not have this field.
  clients: document.clients ?? null,
  people: toLimits(document.people),
  treasury: document.treasury && toLimits(document.treasury),
});

const fromLimits = ({ payment, day, month }: KeyLimits): LimitsDocument => ({
  payment: payment?.toString() ?? null,
  day: day?.toString() ?? null,
  month: month?.toString() ?? null,
});

export const fromRules = (rules: KeyRules): RulesDocument => ({
  any_person: rules.anyPerson,
  users: rules.users,
  wallets: rules.wallets,
  blockchains: rules.blockchains,
  destinations: rules.destinations,
  expires_at: rules.expiresAt?.toISOString() ?? null,
  certificate: rules.certificate,
  clients: rules.clients,
  people: fromLimits(rules.people),
  treasury: rules.treasury && fromLimits(rules.treasury),
});

/** Newest first. */
export async function listKeyChanges(db: Queryable, keyId?: string): Promise<KeyChange[]> {
  const rows = await db.query<{
    key_id: string;
    name: string;
    before: RulesDocument | null;
    after: RulesDocument;
    changed_by: string;
    reason: string | null;
    changed_at: Date;
  }>(
    `SELECT c.key_id, k.name, c.before, c.after, c.changed_by, c.reason, c.changed_at
       FROM key_changes c JOIN service_keys k USING (key_id)
      WHERE $1::uuid IS NULL OR c.key_id = $1 ORDER BY c.change_id DESC LIMIT 100`,
    [keyId ?? null],
  );
  return rows.map((row) => ({
    keyId: row.key_id,
    name: row.name,
    before: row.before && toRules(row.before),
    after: toRules(row.after),
    changedBy: row.changed_by,
    reason: row.reason,
    changedAt: row.changed_at,
  }));
}
