-- Members of a batch: functions take an array of one of these types instead of one array per column. The columns of
-- `new_send` and `new_payout_row` are the names in the JSON of the server; `accept_sends` and `create_payout` explain them.
CREATE TYPE new_hold AS (id uuid, debit bigint, credit bigint, amount bigint, budget_at integer);
CREATE TYPE new_payment AS (id uuid, credit bigint, amount bigint, to_name text, requested_name text);
CREATE TYPE new_payout AS (
  id uuid, key uuid, certificate text, client inet, payer uuid, wallet uuid, on_shortage text, content_type text,
  known_count integer, known_total bigint
);
CREATE TYPE new_payout_row AS (
  id uuid, reference text, username text, person uuid, destination text, blockchain text, amount bigint, note text
);

-- They take such arrays now; no release has these.
DROP FUNCTION IF EXISTS ledger_hold_many(uuid[], bigint[], bigint[], bigint[], integer[], bigint[]);
DROP FUNCTION IF EXISTS ledger_pay_many(bigint, uuid[], bigint[], bigint[], text, text[], text[], bigint);
