-- Stores a checked file with its rows; nothing is paid.
--
-- `p_payout` is a `new_payout`: `id`, `currency`, `key`, `certificate` (hexadecimal) and `client` of the caller, `payer` (NULL: the
-- treasury), `wallet` (the payer's; NULL: it has none yet), `on_shortage`, `content_type`, `known_count` and
-- `known_total`. `p_rows` are `new_payout_row`, in the order of the file: `id` of the payment, `reference`, `username`
-- and `person`, or `destination`, `blockchain`, `amount`, `note`.
--
-- Returns NULL if it is stored. Otherwise returns why not: `refusal`, the code and details of an error about the whole
-- payout, or `rows`, the rows that the rules of the key do not allow, by position.
CREATE OR REPLACE FUNCTION create_payout(p_payout jsonb, p_rows jsonb, p_file bytea) RETURNS jsonb LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  wanted  new_payout := jsonb_populate_record(NULL::new_payout, p_payout);
  items   new_payout_row[] := ARRAY(SELECT r FROM jsonb_populate_recordset(NULL::new_payout_row, p_rows) AS r);
  n       integer := cardinality(items);
  home    smallint := home_asset_of(wanted.currency);
  people  uuid[];
  refusal jsonb;
BEGIN
  PERFORM require_arguments('create_payout', num_nulls(wanted.key, wanted.id, wanted.currency, p_file, wanted.on_shortage, wanted.known_count,
    wanted.known_total) = 0 AND n BETWEEN 1 AND 10000
    AND (SELECT bool_and(is_amount(r.amount) IS TRUE) FROM unnest(items) AS r));
  -- Until the commit, the payer cannot close their account: closing cancels the payouts that it finds.
  IF (SELECT closed_at FROM users WHERE user_id = wanted.payer FOR SHARE) IS NOT NULL THEN
    RETURN '{"refusal": {"code": "account.closed", "details": {}}}';
  END IF;
  refusal := find_key_refusals(ARRAY[wanted.key], ARRAY[decode(wanted.certificate, 'hex')], ARRAY[wanted.client])->'1';
  IF refusal IS NOT NULL THEN RETURN jsonb_build_object('refusal', refusal); END IF;
  SELECT jsonb_object_agg(o.nth, o.refusal) INTO refusal
    FROM (SELECT array_agg(r.blockchain ORDER BY r.ordinality) AS blockchains,
                 array_agg(r.destination ORDER BY r.ordinality) AS destinations,
                 array_agg(r.amount ORDER BY r.ordinality) AS amounts
            FROM unnest(items) WITH ORDINALITY AS r) a,
         find_key_objections(array_fill(wanted.key, ARRAY[n]), a.blockchains, a.destinations,
                             array_fill(wanted.wallet, ARRAY[n]), array_fill(wanted.payer, ARRAY[n]), a.amounts) o;
  IF refusal IS NOT NULL THEN RETURN jsonb_build_object('rows', refusal); END IF;

  INSERT INTO payouts (payout_id, key_id, payer_id, on_shortage, row_count, total, known_count, known_total, created_at,
    currency)
  VALUES (wanted.id, wanted.key, wanted.payer, wanted.on_shortage, n, (SELECT sum(r.amount) FROM unnest(items) AS r),
          wanted.known_count, wanted.known_total, date_trunc('milliseconds', clock_timestamp()), wanted.currency);
  INSERT INTO payout_files (payout_id, content_type, content, hash)
  VALUES (wanted.id, wanted.content_type, p_file, sha256(p_file));
  INSERT INTO payout_items (payout_id, nth, payment_id, reference, username, user_id, destination, blockchain, amount, note)
  SELECT wanted.id, r.ordinality, r.id, r.reference, r.username, r.person, r.destination, r.blockchain, r.amount, r.note
    FROM unnest(items) WITH ORDINALITY AS r ORDER BY r.ordinality;
  -- Opens accounts for people who pay or are paid. Only the missing ones, because a lookup is cheaper than opening.
  people := ARRAY(SELECT i.user_id FROM payout_items i WHERE i.payout_id = wanted.id AND i.user_id IS NOT NULL
                     AND (SELECT 1 FROM accounts a WHERE a.user_id = i.user_id AND a.asset_id = home) IS NULL);
  PERFORM ledger_open_user_accounts(home, people || wanted.payer);
  IF wanted.payer IS NULL THEN PERFORM ledger_open_house_account(home, 'treasury'); END IF;
  PERFORM write_audit('key:' || wanted.key, 'payout.checked', wanted.payer, jsonb_build_object('payout_id', wanted.id));
  RETURN NULL;
END $$;
