-- Accepts many payments to addresses in one statement, one outcome each: hold, row, job and the answer under the
-- Idempotency-Key. Replaces `accept_send`, which decided one. A payment sees the balance and limits that those before it
-- have left.
--
-- `p_rules`: what payments wait for. `threshold`: from this amount on two people must approve; NULL: never. `delay`: how
-- many seconds a payment waits if its wallet has never paid that address. While a payment waits for approvals it has no
-- job: the second approval inserts it.
--
-- `p_sends`, in the order in which they are decided:
--   id           the payment's id; under a key it is also the id of the stored answer
--   hash         of the request, hexadecimal; NULL: the request has no key
--   trace        of a request with a key: what the chain shows if it was paid (`custody/findPaid.ts`), hexadecimal
--   blockchain, destination, amount
--   wallet, username   who pays: see `find_funding_wallet`
--   shown        how the sender is shown: `username` or `wallet`
--   job          the kind of the job that carries it
--
-- Outcomes: `accepted`, with what its first answer says; `known`, it was accepted before (by our own try, whose commit we
-- did not hear of); `replayed`, `mismatch` and `in_progress` (see `claim_records`); `paid`, the chain has paid it and this
-- database has forgotten it, nothing was decided; `refused`, with code and details. Refusals that may not last are not
-- stored.
--
-- Locks: records by id, accounts by id (`ledger_hold_many`), then wallets (by foreign keys).
CREATE OR REPLACE FUNCTION accept_sends(p_rules jsonb, p_sends jsonb)
RETURNS TABLE (
  nth integer, outcome text, details jsonb, wallet_id uuid, username text, accepted_at timestamptz,
  approvals_needed smallint, not_before timestamptz
) LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  threshold    bigint := p_rules->>'threshold';
  delay        integer := p_rules->>'delay';
  ids          uuid[];
  hashes       bytea[];
  traces       bytea[];
  blockchains  text[];
  destinations text[];
  amounts      bigint[];
  wallets      uuid[];
  usernames    text[];
  shown        text[];
  jobs         text[];
  -- Per payment; NULL while it is undecided.
  outcomes     text[];
  -- Per payment: a stored answer, or code and details of a refusal.
  said         jsonb[];
  -- Per payment: who pays.
  payers       uuid[];
  debits       bigint[];
  credits      bigint[];
  is_known     boolean[];
  asset        smallint;
  credit       bigint;
  why          text;
  before       text;
  f            record;
  held         record;
BEGIN
  SELECT array_agg(s.id ORDER BY s.n), array_agg(decode(s.hash, 'hex') ORDER BY s.n),
         array_agg(decode(s.trace, 'hex') ORDER BY s.n), array_agg(s.blockchain ORDER BY s.n),
         array_agg(s.destination ORDER BY s.n), array_agg(s.amount ORDER BY s.n), array_agg(s.wallet ORDER BY s.n),
         array_agg(s.username ORDER BY s.n), array_agg(s.shown ORDER BY s.n), array_agg(s.job ORDER BY s.n)
    INTO ids, hashes, traces, blockchains, destinations, amounts, wallets, usernames, shown, jobs
    FROM ROWS FROM (jsonb_to_recordset(p_sends) AS (id uuid, hash text, trace text, blockchain text, destination text,
                    amount bigint, wallet uuid, username text, shown text, job text)) WITH ORDINALITY
         AS s(id, hash, trace, blockchain, destination, amount, wallet, username, shown, job, n);
  outcomes := array_fill(NULL::text, ARRAY[cardinality(ids)]);
  said := array_fill(NULL::jsonb, ARRAY[cardinality(ids)]);
  payers := array_fill(NULL::uuid, ARRAY[cardinality(ids)]);
  debits := array_fill(NULL::bigint, ARRAY[cardinality(ids)]);
  credits := debits;
  is_known := array_fill(NULL::boolean, ARRAY[cardinality(ids)]);

  FOR f IN
    SELECT array_position(ids, r.record_id) AS nth, r.outcome, r.answer
      FROM (SELECT array_agg(k.id) AS ids, array_agg(k.hash) AS hashes,
                   array_agg(json_build_object('answer', k.id)) AS answers
              FROM unnest(ids, hashes) AS k(id, hash) WHERE k.hash IS NOT NULL) k,
           claim_records(k.ids, k.hashes, k.answers) r
  LOOP
    outcomes[f.nth] := f.outcome;
    said[f.nth] := f.answer;
  END LOOP;
  FOR f IN
    SELECT array_position(traces, n.nonce) AS nth FROM forgotten_nonces n JOIN unexplained_moves USING (asset_id, tx_hash, log_index)
     WHERE n.asset_id IN (SELECT asset_id FROM assets) AND n.nonce = ANY (traces)
  LOOP
    IF outcomes[f.nth] IS NULL THEN outcomes[f.nth] := 'paid'; END IF;
  END LOOP;

  FOR f IN
    SELECT array_position(ids, t.transfer_id) AS nth, t.amount, p.destination
      FROM transfers t JOIN payments p ON p.payment_id = t.transfer_id
     WHERE t.transfer_id = ANY (ids) AND t.kind = 'hold'
  LOOP
    IF outcomes[f.nth] IS NULL THEN
      outcomes[f.nth] := CASE WHEN f.amount = amounts[f.nth] AND lower(f.destination) = lower(destinations[f.nth])
        THEN 'known' ELSE 'mismatch' END;
    END IF;
  END LOOP;

  -- Who pays, from which account.
  before := NULL;
  FOR i IN 1..cardinality(ids) LOOP
    CONTINUE WHEN outcomes[i] IS NOT NULL;
    IF blockchains[i] IS DISTINCT FROM before THEN
      SELECT asset_id INTO asset FROM assets JOIN networks USING (network_id)
       WHERE blockchain = blockchains[i] AND symbol = 'USDC';
      IF NOT FOUND THEN asset := ledger_open_asset(blockchains[i], 'USDC'); END IF;
      SELECT account_id INTO credit FROM accounts WHERE kind = 'chain' AND asset_id = asset AND user_id IS NULL;
      before := blockchains[i];
    END IF;
    f := find_funding_wallet(asset, wallets[i], usernames[i]);
    IF f.refusal IS NOT NULL THEN
      outcomes[i] := 'refused';
      said[i] := jsonb_build_object('code', f.refusal, 'details', '{}'::jsonb);
    ELSIF lower(f.address) = lower(destinations[i]) THEN
      -- It would cost gas and move nothing; the caller has copied the wrong line of a history.
      outcomes[i] := 'refused';
      said[i] := '{"code": "payment.self", "details": {}}';
    ELSE
      wallets[i] := f.wallet_id;
      payers[i] := f.user_id;
      credits[i] := credit;
      IF f.user_id IS NULL THEN
        debits[i] := (SELECT account_id FROM accounts WHERE kind = 'treasury' AND asset_id = asset AND user_id IS NULL);
      ELSE
        debits[i] := (SELECT account_id FROM accounts WHERE user_id = f.user_id AND asset_id = asset);
      END IF;
    END IF;
  END LOOP;

  before := NULL;
  FOR i IN 1..cardinality(ids) LOOP
    CONTINUE WHEN outcomes[i] IS NOT NULL;
    IF blockchains[i] IS DISTINCT FROM before THEN
      why := find_pause('all', 'chain', 'chain:' || blockchains[i]);
      before := blockchains[i];
    END IF;
    IF why IS NOT NULL THEN
      outcomes[i] := 'refused';
      said[i] := jsonb_build_object('code', 'service.paused', 'details', jsonb_build_object('reason', why));
      CONTINUE;
    END IF;
    is_known[i] := (SELECT bool_or(address = lower(destinations[i])) FROM recipients
                     WHERE wallet_id = wallets[i] AND look = address_look(destinations[i]));
    IF NOT is_known[i] THEN
      -- The destination looks like an address that the wallet has paid, but is another one.
      outcomes[i] := 'refused';
      said[i] := '{"code": "address.lookalike", "details": {}}';
    ELSIF debits[i] IS NULL OR credits[i] IS NULL THEN
      -- Nothing was ever deposited.
      outcomes[i] := 'refused';
      said[i] := ledger_refusal('insufficient', '{"available": "0"}');
    END IF;
    IF outcomes[i] IS NOT NULL THEN debits[i] := NULL; END IF;
  END LOOP;

  held := ledger_hold_many(ids, debits, credits, amounts);
  FOR i IN 1..cardinality(ids) LOOP
    CONTINUE WHEN outcomes[i] IS NOT NULL;
    IF held.o_outcomes[i] = 'applied' THEN
      outcomes[i] := 'accepted';
    ELSIF held.o_outcomes[i] = 'duplicate' AND EXISTS (SELECT FROM payments WHERE payment_id = ids[i]
        AND wallet_id = wallets[i] AND lower(destination) = lower(destinations[i])) THEN
      outcomes[i] := 'known';
    ELSE
      outcomes[i] := 'refused';
      said[i] := ledger_refusal(held.o_outcomes[i], held.o_details[i]);
      IF said[i] IS NULL THEN RAISE EXCEPTION 'payment %: %', ids[i], held.o_outcomes[i]; END IF;
    END IF;
  END LOOP;

  PERFORM change_answers(array_agg(o.id), array_agg(CASE WHEN o.outcome = 'refused'
            AND o.said->>'code' NOT IN ('service.paused', 'user.paused') THEN o.said::json END))
     FROM unnest(ids, hashes, outcomes, said) AS o(id, hash, outcome, said)
    WHERE o.hash IS NOT NULL AND o.outcome IN ('refused', 'paid')
   HAVING count(*) > 0;

  -- From here on it must succeed: the holds stay.
  RETURN QUERY
    WITH accepted AS MATERIALIZED (
      SELECT a.*, (CASE WHEN a.amount >= threshold THEN 2 ELSE 0 END)::smallint AS needed,
             CASE WHEN a.is_known IS NULL AND delay > 0 THEN held.o_at + delay * interval '1 second' END AS start_at
        FROM unnest(ids, outcomes, amounts, destinations, wallets, payers, shown, jobs, is_known) WITH ORDINALITY
             AS a(id, outcome, amount, destination, wallet_id, user_id, shown, job, is_known, n)
       WHERE a.outcome = 'accepted' ORDER BY a.n
    ), inserted AS (
      INSERT INTO payments (payment_id, state, destination, wallet_id, sender_shown, approvals_needed, not_before, updated_at)
      SELECT id, 'INITIATED', destination, wallet_id, shown, needed, start_at, held.o_at FROM accepted ORDER BY n
    ), scheduled AS MATERIALIZED (
      SELECT schedule_jobs(array_agg(job ORDER BY n), array_agg(id::text ORDER BY n), array_agg(start_at ORDER BY n))
        FROM accepted WHERE needed = 0 HAVING count(*) > 0
    )
    SELECT o.n::integer, o.outcome, o.said, a.wallet_id,
           (SELECT u.username FROM usernames u WHERE u.user_id = a.user_id AND u.redirect_until IS NULL),
           held.o_at, a.needed, a.start_at
      FROM unnest(outcomes, said) WITH ORDINALITY AS o(outcome, said, n) LEFT JOIN accepted a ON a.n = o.n
      LEFT JOIN scheduled ON true
     ORDER BY o.n;
END $$;
