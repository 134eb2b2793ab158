/** Ways to corrupt the ledger with superuser rights, and what the audit must report about each. */

/** The number of an entry of the first person. */
const entryAt = (place: 'first' | 'last') =>
  `(SELECT ${place === 'first' ? '1' : 'entries'} FROM accounts WHERE account_id = $1)`;
const atEntry = (place: 'first' | 'last') =>
  `(debit_account = $1 AND debit_entry = ${entryAt(place)}) OR (credit_account = $1 AND credit_entry = ${entryAt(place)})`;

/**
 * One of the last payments of the first person. Not a hold, because the audit would report two faults about its end.
 */
const A_PAYMENT = `seq = (SELECT seq FROM transfers WHERE kind = 'user' AND $1 IN (debit_account, credit_account)
  ORDER BY seq DESC OFFSET 3 LIMIT 1)`;

interface Corruption {
  readonly name: string;
  readonly sql: string;
  readonly values?: () => unknown[];
  readonly says: () => RegExp;
  /** Runs before it, with the necessary rights. */
  readonly before?: string;
  readonly after?: string;
  /** Custody itself pauses sends for this corruption. */
  readonly isQuiet?: true;
}

interface Scene {
  account(nth?: number): bigint;
  /** A posted hold, and a released one. */
  ends(): { readonly posted: string; readonly released: string };
}

export const listCorruptions = ({ account, ends }: Scene): readonly Corruption[] => [
  {
    name: 'a balance',
    sql: 'UPDATE accounts SET available = available + 5 WHERE account_id = $1',
    says: () => new RegExp(`^account ${account()}: it has \\d+ available, and its last movement leaves \\d+$`),
  },
  {
    name: 'money moved without a transfer',
    sql: `UPDATE accounts SET available = available + CASE account_id WHEN $1 THEN 90 ELSE -90 END
             WHERE account_id IN ($1, $2)`,
    values: () => [account(), account(1)],
    says: () => new RegExp(`^account ${account(1)}: it has`),
  },
  {
    name: 'a balance that a hash of its halves would not see',
    sql: 'UPDATE accounts SET available = (available # 1) + (1::bigint << 32) WHERE account_id = $1',
    says: () => new RegExp(`^account ${account()}: it has`),
  },
  {
    name: 'an invalid amount',
    sql: `UPDATE transfers SET amount = 9223372036854775807 WHERE ${A_PAYMENT}`,
    says: () => /it contains values that are not amounts of money$/,
  },
  {
    name: 'what is held',
    sql: 'UPDATE accounts SET held = held + 5 WHERE account_id = $1',
    says: () => new RegExp(`^account ${account()}: it holds \\d+, and its movements leave \\d+$`),
  },
  {
    name: 'two swapped balances',
    sql: `UPDATE accounts a SET available = b.available FROM accounts b
             WHERE (a.account_id, b.account_id) IN (($1, $2), ($2, $1))`,
    values: () => [account(), account(1)],
    says: () => new RegExp(`^account ${account()}: it has`),
  },
  {
    name: 'the first transfer is missing',
    sql: `DELETE FROM transfers WHERE ${atEntry('first')}`,
    says: () => new RegExp(`movement 1 of account ${account()} is missing$`),
  },
  {
    name: 'a transfer in the middle is missing',
    sql: `DELETE FROM transfers WHERE ${A_PAYMENT}`,
    says: () => new RegExp(`movement \\d+ of account ${account()} is missing$`),
  },
  {
    name: 'the last transfer is missing',
    sql: `DELETE FROM transfers WHERE ${atEntry('last')}`,
    says: () => new RegExp(`^account ${account()}: its last movement, number \\d+, is missing$`),
  },
  {
    name: 'a duplicate number',
    sql: `INSERT INTO transfers SELECT (t2).* FROM (SELECT jsonb_populate_record(t, jsonb_build_object('transfer_id',
              gen_random_uuid(), 'seq', t.seq + 7000)) AS t2 FROM transfers t
             WHERE kind = 'user' AND debit_prev IS NOT NULL AND credit_prev IS NOT NULL AND debit_entry % 32 <> 0
               AND credit_entry % 32 <> 0 ORDER BY seq DESC LIMIT 1) s`,
    values: () => [],
    says: () => /^movement [0-9a-f-]+: account \d+ has another movement with the number \d+$/,
  },
  {
    name: 'an amount',
    sql: `UPDATE transfers SET amount = amount + 1 WHERE ${A_PAYMENT}`,
    says: () => /^movement [0-9a-f-]+: account \d+ had \d+ before it and has \d+ after it, and it moves -?\d+$/,
  },
  {
    name: 'a balance after a transfer',
    sql: `UPDATE transfers SET debit_available = debit_available + 1, credit_available = credit_available + 1 WHERE ${A_PAYMENT}`,
    says: () => /^movement [0-9a-f-]+: account \d+ had \d+ before it and has \d+ after it/,
  },
  {
    name: 'another asset',
    sql: `UPDATE transfers SET asset_id = asset_id + 1 WHERE ${A_PAYMENT}`,
    says: () => /^movement [0-9a-f-]+: account \d+ does not have asset \d+$/,
  },
  {
    name: 'a hold that ended twice',
    before: 'DROP INDEX transfers_hold_ended',
    sql: `UPDATE transfers SET hold_id = $1 WHERE hold_id = $2`,
    values: () => [ends().posted, ends().released],
    says: () => new RegExp(`^movement [0-9a-f-]+: the hold ${ends().posted} has ended twice$`),
    after: 'CREATE UNIQUE INDEX transfers_hold_ended ON transfers (hold_id) WHERE hold_id IS NOT NULL',
  },
  {
    name: 'a posted hold that the chain has not paid',
    sql: 'DELETE FROM coin_moves WHERE move_id = $1',
    values: () => [ends().posted],
    says: () => new RegExp(`^movement [0-9a-f-]+: the chain has not paid ${ends().posted}$`),
  },
  {
    name: 'a release although the chain has paid it',
    sql: `INSERT INTO coin_moves (move_id, asset_id, wallet_id, purpose, rail, from_address, to_address, amount, reserved,
              state, started_at, tx_hash) SELECT $1, asset_id, wallet_id, purpose, rail, from_address, to_address, amount,
              reserved, state, started_at, tx_hash FROM coin_moves WHERE move_id = $2`,
    values: () => [ends().released, ends().posted],
    says: () => /^movement [0-9a-f-]+: it gives back what the chain has paid \(0xhash\)$/,
    isQuiet: true,
  },
];
