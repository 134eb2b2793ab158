-- Two indexes by account made writing slower the more rows there were: every payment touched a page of each that nothing
-- else touched, and after a checkpoint the first touch of a page writes the whole page to the log. Now a payment names the
-- row before it in the history of both accounts, and a history is read by following these names (`ledger_entries`).
-- Measured: docs/decisions/0018-growth-of-writing.md.
--
-- `debit_prev` and `credit_prev` are the `seq` of the account's row with the number before. NULL: that row, or the
-- account's first, is found by its number in the index. So whatever is not followed by name must be in the index: rows
-- that name none, and rows that are not payments between people. Every 32nd row is in it too, so that reading can begin
-- anywhere.
ALTER TABLE transfers
  ADD COLUMN debit_prev  bigint,
  ADD COLUMN credit_prev bigint;

-- The `seq` of the account's row with the number `last_entry`. It is the account's last row only while `last_entry` is
-- also `entries`: where it is not, the next row names none.
ALTER TABLE accounts
  ADD COLUMN last_seq   bigint,
  ADD COLUMN last_entry bigint;

-- A new database begins with the small indexes. In an older one the whole indexes stay, because processes of release
-- 0.2.0 read them, until an operator replaces them, which locks nothing: `migrate --finish` (docs/operating/upgrade.md).
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM transfers) THEN
    DROP INDEX transfers_by_debit, transfers_by_credit;
    CREATE UNIQUE INDEX transfers_debit_posts ON transfers (debit_account, debit_entry)
      WHERE debit_prev IS NULL OR debit_entry % 32 = 0 OR kind <> 'user';
    CREATE UNIQUE INDEX transfers_credit_posts ON transfers (credit_account, credit_entry)
      WHERE credit_prev IS NULL OR credit_entry % 32 = 0 OR kind <> 'user';
  END IF;
END $$;
