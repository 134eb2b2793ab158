-- Keeps a file that was checked, with its rows; nothing is paid.
--
-- `p_payout`: `id`, `key`, `certificate` (hexadecimal) and `client` of the caller, `payer` (NULL: the treasury),
-- `wallet` (the payer's; NULL: it has none yet), `on_shortage`, `content_type`, `known_count` and `known_total`.
-- `p_rows`, in the order of the file: `id` of the payment, `reference`, `username` and `person`, or `destination`,
-- `blockchain`, `amount`, `note`.
--
-- Answers NULL when it is kept. Otherwise why not: `refusal`, code and details of an error about the whole of it, or
-- `rows`, what the rules of the key do not allow, by place.
CREATE OR REPLACE FUNCTION create_payout(p_payout jsonb, p_rows jsonb, p_file bytea) RETURNS jsonb LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  key     uuid := p_payout->>'key';
  payer   uuid := p_payout->>'payer';
  wallet  uuid := p_payout->>'wallet';
  id      uuid := p_payout->>'id';
  n       integer := jsonb_array_length(p_rows);
  home    smallint := (SELECT home_asset FROM ledger_state);
  people  uuid[];
  refusal jsonb;
BEGIN
  PERFORM require_arguments('create_payout', num_nulls(key, id, p_file, p_payout->>'on_shortage', p_payout->>'known_count',
    p_payout->>'known_total') = 0 AND jsonb_typeof(p_rows) = 'array' AND n BETWEEN 1 AND 10000
    AND (SELECT bool_and(is_amount((r->>'amount')::bigint) IS TRUE) FROM jsonb_array_elements(p_rows) r));
  -- Until the commit the payer cannot close their account: closing cancels the payouts that it finds.
  IF (SELECT closed_at FROM users WHERE user_id = payer FOR SHARE) IS NOT NULL THEN
    RETURN '{"refusal": {"code": "account.closed", "details": {}}}';
  END IF;
  refusal := find_key_refusals(ARRAY[key], ARRAY[decode(p_payout->>'certificate', 'hex')],
                               ARRAY[(p_payout->>'client')::inet])->'1';
  IF refusal IS NOT NULL THEN RETURN jsonb_build_object('refusal', refusal); END IF;
  SELECT jsonb_object_agg(o.nth, o.refusal) INTO refusal
    FROM (SELECT array_agg(r->>'blockchain' ORDER BY i) AS blockchains, array_agg(r->>'destination' ORDER BY i) AS destinations,
                 array_agg((r->>'amount')::bigint ORDER BY i) AS amounts
            FROM jsonb_array_elements(p_rows) WITH ORDINALITY AS u(r, i)) a,
         find_key_objections(array_fill(key, ARRAY[n]), a.blockchains, a.destinations, array_fill(wallet, ARRAY[n]),
                             array_fill(payer, ARRAY[n]), a.amounts) o;
  IF refusal IS NOT NULL THEN RETURN jsonb_build_object('rows', refusal); END IF;

  INSERT INTO payouts (payout_id, key_id, payer_id, on_shortage, row_count, total, known_count, known_total, created_at)
  VALUES (id, key, payer, p_payout->>'on_shortage', n,
          (SELECT sum((r->>'amount')::bigint) FROM jsonb_array_elements(p_rows) r), (p_payout->>'known_count')::integer,
          (p_payout->>'known_total')::bigint, date_trunc('milliseconds', clock_timestamp()));
  INSERT INTO payout_files (payout_id, content_type, content, hash)
  VALUES (id, p_payout->>'content_type', p_file, sha256(p_file));
  INSERT INTO payout_items (payout_id, nth, payment_id, reference, username, user_id, destination, blockchain, amount, note)
  SELECT id, u.i, (r->>'id')::uuid, r->>'reference', r->>'username', (r->>'person')::uuid, r->>'destination',
         r->>'blockchain', (r->>'amount')::bigint, r->>'note'
    FROM jsonb_array_elements(p_rows) WITH ORDINALITY AS u(r, i) ORDER BY u.i;
  -- Whoever pays or is paid has an account from here on. Only the missing ones: looking each up is cheaper than opening it.
  people := ARRAY(SELECT i.user_id FROM payout_items i WHERE i.payout_id = id AND i.user_id IS NOT NULL
                     AND (SELECT 1 FROM accounts a WHERE a.user_id = i.user_id AND a.asset_id = home) IS NULL);
  PERFORM ledger_open_user_accounts(home, people || payer);
  IF payer IS NULL THEN PERFORM ledger_open_house_account(home, 'treasury'); END IF;
  PERFORM write_audit('key:' || key, 'payout.checked', payer, jsonb_build_object('payout_id', id));
  RETURN NULL;
END $$;
