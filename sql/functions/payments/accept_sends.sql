-- Accepts many payments to addresses in one statement, with one outcome per payment: hold, row, job and the answer
-- under the Idempotency-Key. Each payment sees the balance and limits that earlier ones have left.
--
-- `p_rules`: what payments wait for. `threshold`: two operators must approve payments from this amount on; NULL: never.
-- `delay`: how many seconds a payment waits if its wallet has never paid that address. The stricter of these rules and
-- the stored ones (`send_rules`) applies. A payment that waits for approvals has no job; the second approval inserts
-- it. `list_age`: the maximum age in seconds of our list of blacklisted addresses (`ever_blacklisted`).
--
-- `p_sends` is an array of `new_send`, in the order in which the payments are decided:
--   id           the payment's id; with a key it is also the id of the stored answer
--   caller       the id of the caller's service key; NULL: the caller has none, and cannot spend the treasury outside a
--                sandbox
--   certificate  SHA-256 of the caller's client certificate, hexadecimal; needed if the key requires one
--   client       the caller's IPv4 address or IPv6 network; needed if the key is restricted to address ranges
--   asked        false: the token has not been asked yet whether it accepts the destination
--   hash         of the request, hexadecimal; NULL: the request has no key
--   trace        of a request with a key: what the chain shows if it was paid (`custody/findPaid.ts`), hexadecimal; NULL:
--                not computed
--   blockchain, currency, destination, amount
--   wallet, username, person   who pays: see `find_funding_wallets`
--   session      of a person who pays for themselves: it may have ended since the call arrived
--   shown        how the sender is shown: `username` or `wallet`
--   note         for both parties; NULL: none. `hash` contains it
--
-- Outcomes: `accepted`, with the contents of its first answer; `known`, it was accepted before, by an attempt of ours
-- whose commit was not confirmed; `replayed`, `mismatch` and `in_progress` (see `claim_records`; `mismatch` also if the
-- id has paid something else: another amount, address, blockchain or currency, or a person); `paid`, the chain has paid
-- it but this database has lost it, and nothing was decided; `ask`, nothing was decided because the token must be asked
-- first, about this address (`is_listed`) or about every address; `untraced`, nothing was decided because the trace is
-- needed; `refused`, with code and details. Refusals that may be temporary are not stored.
--
-- Lookups are made for all payments in one statement where possible. The settings fix the plans, as in
-- `ledger_pay_batch`.
--
-- This function also applies the rules of service keys: which payers and destinations a key may use, and its limits,
-- together with the hold.
--
-- Lock order: keys (`find_key_refusals`), records by id, budgets of keys (`lock_key_budgets`), accounts by id
-- (`ledger_hold_many`), sessions by id.
CREATE OR REPLACE FUNCTION accept_sends(p_rules jsonb, p_sends jsonb)
RETURNS TABLE (
  nth integer, outcome text, details jsonb, wallet_id uuid, username text, accepted_at timestamptz,
  approvals_needed smallint, not_before timestamptz
) LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
  SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  threshold    bigint := p_rules->>'threshold';
  delay        integer := p_rules->>'delay';
  list_from    timestamptz := clock_timestamp() - (p_rules->>'list_age')::integer * interval '1 second';
  ids          uuid[];
  callers      uuid[];
  certificates bytea[];
  clients      inet[];
  asked        boolean[];
  hashes       bytea[];
  traces       bytea[];
  blockchains  text[];
  -- Blockchain and currency.
  tokens       text[];
  destinations text[];
  amounts      bigint[];
  wallets      uuid[];
  usernames    text[];
  people       uuid[];
  logins       uuid[];
  shown        text[];
  notes        text[];
  -- Per token of the batch. `token_lists`: our list of blacklisted addresses is recent enough.
  batch_tokens text[];
  token_assets smallint[];
  token_sides  bigint[];
  token_pauses text[];
  token_lists  boolean[];
  -- The rules stored in `send_rules`, already compared with `p_rules`: threshold, delay, 1 if callers without a key may
  -- spend the treasury.
  stricter     bigint[];
  -- Ids that are in use, and whether the nonce of any lost payment is known.
  taken        uuid[];
  is_restored  boolean;
  bad_keys     jsonb;
  -- Per payment; NULL while it is undecided.
  outcomes     text[];
  -- Per payment: a stored answer, or the code and details of a refusal.
  said         jsonb[];
  assets       smallint[];
  debits       bigint[];
  credits      bigint[];
  is_known     boolean[];
  -- Per payment: the person who pays; NULL: the treasury.
  payers       uuid[];
  -- Per payment: its key while it is undecided.
  spending     uuid[];
  budgets      record;
  refusals     jsonb[];
  f            record;
  held         record;
BEGIN
  SELECT array_agg(s.id), array_agg(s.caller), array_agg(decode(s.certificate, 'hex')), array_agg(s.client), array_agg(s.asked),
         array_agg(decode(s.hash, 'hex')), array_agg(decode(s.trace, 'hex')), array_agg(s.blockchain),
         array_agg(s.blockchain || ' ' || s.currency), array_agg(s.destination), array_agg(s.amount), array_agg(s.wallet),
         array_agg(s.username), array_agg(s.person), array_agg(s.session), array_agg(s.shown),
         array_agg(s.note)
    INTO ids, callers, certificates, clients, asked, hashes, traces, blockchains, tokens, destinations, amounts, wallets,
         usernames, people, logins, shown, notes
    FROM (SELECT * FROM jsonb_populate_recordset(NULL::new_send, p_sends) WITH ORDINALITY AS u ORDER BY u.ordinality) s;
  PERFORM require_arguments('accept_sends', jsonb_typeof(p_rules) = 'object' AND cardinality(ids) BETWEEN 1 AND 8000
    AND array_position(ids, NULL) IS NULL AND array_position(tokens, NULL) IS NULL
    AND array_position(destinations, NULL) IS NULL AND shown <@ ARRAY['username', 'wallet'] AND is_amount(VARIADIC amounts));
  outcomes := array_fill(NULL::text, ARRAY[cardinality(ids)]);
  said := array_fill(NULL::jsonb, ARRAY[cardinality(ids)]);

  bad_keys := find_key_refusals(callers, certificates, clients);
  IF bad_keys IS NOT NULL THEN
    FOR i IN 1..cardinality(ids) LOOP
      CONTINUE WHEN NOT bad_keys ? i::text;
      outcomes[i] := 'refused';
      said[i] := bad_keys->i::text;
    END LOOP;
  END IF;

  IF array_remove(logins, NULL) <> '{}' THEN
    FOR f IN
      SELECT u.n AS nth FROM unnest(logins, outcomes) WITH ORDINALITY AS u(session_id, outcome, n) JOIN sessions s USING (session_id)
       WHERE u.outcome IS NULL AND (s.ended_at IS NOT NULL OR s.created_at < credentials_from('sessions'))
    LOOP
      outcomes[f.nth] := 'refused';
      said[f.nth] := '{"code": "auth.invalid", "details": {"reason": "revoked"}}';
    END LOOP;
  END IF;

  FOR f IN
    SELECT array_position(ids, r.record_id) AS nth, r.outcome, r.answer
      FROM (SELECT array_agg(k.id) AS ids, array_agg(k.hash) AS hashes,
                   array_agg(json_build_object('answer', k.id)) AS answers
              FROM unnest(ids, hashes, outcomes) AS k(id, hash, outcome) WHERE k.hash IS NOT NULL AND k.outcome IS NULL) k,
           claim_records(k.ids, k.hashes, k.answers) r
  LOOP
    outcomes[f.nth] := f.outcome;
    said[f.nth] := f.answer;
  END LOOP;

  -- One large statement, because starting a statement takes longer than reading a row.
  SELECT array_agg(b.token), array_agg(a.asset_id), array_agg(c.account_id),
         array_agg(find_pause('all', 'chain', 'chain:' || b.blockchain)),
         array_agg(r.read_at IS NOT NULL AND r.read_at > list_from AND NOT r.is_paused),
         ARRAY(SELECT t.transfer_id FROM transfers t WHERE t.transfer_id = ANY (ids) AND t.kind = 'hold'),
         EXISTS (SELECT FROM forgotten_nonces),
         (SELECT ARRAY[least(threshold, s.approval_threshold), greatest(delay, s.new_recipient_delay),
                       s.has_open_treasury::integer] FROM send_rules s)
    INTO batch_tokens, token_assets, token_sides, token_pauses, token_lists, taken, is_restored, stricter
    FROM (SELECT DISTINCT u.token, u.blockchain, split_part(u.token, ' ', 2) AS currency
            FROM unnest(tokens, blockchains, outcomes) AS u(token, blockchain, outcome) WHERE u.outcome IS NULL) b
   CROSS JOIN LATERAL (SELECT coalesce((SELECT x.asset_id FROM assets x JOIN networks USING (network_id)
                         WHERE blockchain = b.blockchain AND symbol = b.currency),
                       ledger_open_token(b.blockchain, b.currency)) AS asset_id) a
    LEFT JOIN accounts c ON c.kind = 'chain' AND c.asset_id = a.asset_id AND c.user_id IS NULL
    LEFT JOIN blacklist_reads r ON r.asset_id = a.asset_id;
  IF is_restored THEN
    FOR i IN 1..cardinality(ids) LOOP
      IF outcomes[i] IS NULL AND hashes[i] IS NOT NULL AND traces[i] IS NULL THEN outcomes[i] := 'untraced'; END IF;
    END LOOP;
    FOR f IN
      SELECT array_position(traces, n.nonce) AS nth
        FROM forgotten_nonces n JOIN unexplained_moves u USING (asset_id, tx_hash, log_index)
       WHERE n.asset_id IN (SELECT asset_id FROM assets) AND n.nonce = ANY (traces)
         -- If the service bears the loss, no payment accounts for the coins. This one will (`claim_unexplained`).
         AND NOT EXISTS (SELECT FROM transfers_by_id(ARRAY[u.imported_as]) l WHERE l.kind = 'internal')
    LOOP
      IF outcomes[f.nth] IS NULL THEN outcomes[f.nth] := 'paid'; END IF;
    END LOOP;
  END IF;
  IF taken <> '{}' THEN
    FOR f IN
      SELECT array_position(ids, t.transfer_id) AS nth, coalesce(p.amount, t.amount) AS amount, t.asset_id, p.destination
        FROM transfers t LEFT JOIN payments p ON p.payment_id = t.transfer_id WHERE t.transfer_id = ANY (taken) AND t.kind = 'hold'
    LOOP
      -- An id that belongs to something other than a payment to an address is detected when the money is held.
      CONTINUE WHEN outcomes[f.nth] IS NOT NULL OR f.destination IS NULL;
      -- The same address on another blockchain, or in another currency, is another payment.
      IF (f.amount, f.asset_id, address_key(f.destination)) IS NOT DISTINCT FROM
         (amounts[f.nth], token_assets[array_position(batch_tokens, tokens[f.nth])], address_key(destinations[f.nth])) THEN
        outcomes[f.nth] := 'known';
      ELSE
        outcomes[f.nth] := 'mismatch';
        said[f.nth] := '{"code": "idempotency.mismatch", "details": {}}';
      END IF;
    END LOOP;
  END IF;

  -- Who pays, from which account, and the reasons for refusal, in the order of the answers. The token comes first,
  -- because it is asked before anything else.
  assets := ARRAY(SELECT token_assets[array_position(batch_tokens, u.token)]
                    FROM unnest(tokens) WITH ORDINALITY AS u(token, n) ORDER BY u.n);
  SELECT array_agg(s.wallet_id), array_agg(s.username), array_agg(s.is_known),
         array_agg(CASE WHEN s.outcome IS NULL AND s.refusal IS NULL THEN s.debit END), array_agg(s.credit),
         array_agg(CASE WHEN s.outcome IS NULL THEN s.refusal END), array_agg(s.user_id)
    INTO wallets, usernames, is_known, debits, credits, refusals, payers
    FROM (SELECT p.outcome, p.user_id, p.wallet_id, p.username, d.debit, c.credit, r.is_known,
                 CASE WHEN p.caller IS NULL AND p.user_id IS NULL AND p.wallet_id IS NOT NULL AND stricter[3] IS DISTINCT FROM 1
                        THEN '{"code": "key.not_allowed", "details": {"what": "treasury"}}'
                      WHEN NOT coalesce(p.asked, true) AND NOT coalesce(c.is_listed, false) THEN '{"is_listed": false}'
                      WHEN NOT coalesce(p.asked, true) AND (SELECT 1 FROM ever_blacklisted x
                          WHERE x.asset_id = p.asset_id AND x.address = lower(p.destination)) IS NOT NULL
                        THEN '{"is_listed": true}'
                      WHEN p.refusal IS NOT NULL THEN jsonb_build_object('code', p.refusal, 'details', '{}'::jsonb)
                      -- It would cost gas and move nothing; the caller has probably copied the wrong line of a history.
                      WHEN address_key(p.address) = address_key(p.destination) THEN '{"code": "payment.self", "details": {}}'
                      WHEN c.why IS NOT NULL
                        THEN jsonb_build_object('code', 'service.paused', 'details', jsonb_build_object('reason', c.why))
                      -- The destination resembles an address that the wallet has paid, but is a different one.
                      WHEN NOT r.is_known THEN '{"code": "address.lookalike", "details": {}}'
                      -- Nothing was ever deposited.
                      WHEN d.debit IS NULL OR c.credit IS NULL THEN ledger_refusal('insufficient', '{"available": "0"}')
                 END AS refusal
            FROM ROWS FROM (unnest(outcomes, assets, tokens, destinations, asked, callers),
                            find_funding_wallets(assets, wallets, usernames, people)) WITH ORDINALITY
                 AS p(outcome, asset_id, token, destination, asked, caller, wallet_id, address, user_id, username, refusal, n)
           CROSS JOIN LATERAL (SELECT token_sides[array_position(batch_tokens, p.token)] AS credit,
                                      token_pauses[array_position(batch_tokens, p.token)] AS why,
                                      token_lists[array_position(batch_tokens, p.token)] AS is_listed) c
           CROSS JOIN LATERAL (SELECT CASE WHEN p.user_id IS NULL
               THEN (SELECT account_id FROM accounts WHERE kind = 'treasury' AND asset_id = p.asset_id AND user_id IS NULL)
               ELSE (SELECT account_id FROM accounts WHERE user_id = p.user_id AND asset_id = p.asset_id) END AS debit) d
           CROSS JOIN LATERAL (SELECT (SELECT bool_or(x.address = lower(p.destination)) FROM recipients x
                                        WHERE x.wallet_id = p.wallet_id AND x.look = address_look(p.destination)) AS is_known) r
           ORDER BY p.n
         ) s;
  -- Checked first: if a key may not spend this money, its holder learns only that, whatever else is wrong.
  spending := ARRAY(SELECT CASE WHEN u.outcome IS NULL AND u.wallet_id IS NOT NULL THEN u.caller END
                      FROM unnest(callers, outcomes, wallets) WITH ORDINALITY AS u(caller, outcome, wallet_id, n)
                     ORDER BY u.n);
  FOR f IN
    SELECT o.nth, o.refusal FROM find_key_objections(spending, blockchains, destinations, wallets, payers, amounts) o
  LOOP
    outcomes[f.nth] := 'refused';
    said[f.nth] := f.refusal;
    debits[f.nth] := NULL;
    spending[f.nth] := NULL;
  END LOOP;
  IF array_remove(refusals, NULL) <> '{}' THEN
    FOR i IN 1..cardinality(ids) LOOP
      CONTINUE WHEN outcomes[i] IS NOT NULL OR refusals[i] IS NULL;
      outcomes[i] := CASE WHEN refusals[i] ? 'is_listed' THEN 'ask' ELSE 'refused' END;
      said[i] := refusals[i];
    END LOOP;
  END IF;

  budgets := lock_key_budgets(spending, payers);
  held := ledger_hold_many(
    ARRAY(SELECT (u.id, u.debit, u.credit, u.amount, u.budget_at, party_of_send(u.token, u.destination))::new_hold
            FROM unnest(ids, debits, credits, amounts, budgets.o_at, tokens, destinations) WITH ORDINALITY
                 AS u(id, debit, credit, amount, budget_at, token, destination, n)
           ORDER BY u.n),
    budgets.o_left);
  PERFORM charge_key_budgets(budgets.o_keys, budgets.o_pays, budgets.o_left, held.o_left);
  -- A session may have ended since it was read above. The lock lasts until the commit: after a logout is answered, no
  -- payment of that session is committed. It is taken after the accounts, as in `close_account`. The batch runs again
  -- and finds the session ended.
  IF array_remove(logins, NULL) <> '{}' THEN
    PERFORM FROM sessions WHERE session_id = ANY (logins) ORDER BY session_id FOR SHARE;
    IF EXISTS (SELECT FROM unnest(logins, held.o_outcomes) AS u(session_id, did) JOIN sessions s USING (session_id)
                WHERE u.did = 'applied' AND s.ended_at IS NOT NULL) THEN
      RAISE EXCEPTION 'a session has ended while its payment waited' USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;
  FOR i IN 1..cardinality(ids) LOOP
    CONTINUE WHEN outcomes[i] IS NOT NULL OR held.o_outcomes[i] = 'applied';
    IF held.o_outcomes[i] = 'duplicate' AND EXISTS (SELECT FROM payments WHERE payment_id = ids[i]
        AND wallet_id = wallets[i] AND address_key(destination) = address_key(destinations[i])) THEN
      outcomes[i] := 'known';
    ELSIF held.o_outcomes[i] IN ('duplicate', 'mismatch') THEN
      -- The id has paid something else. Only this payment is refused; the others of the batch continue.
      outcomes[i] := 'mismatch';
      said[i] := '{"code": "idempotency.mismatch", "details": {}}';
    ELSE
      outcomes[i] := 'refused';
      said[i] := CASE WHEN held.o_outcomes[i] = 'key_limit'
        THEN broken_key_limit(callers[i], budgets.o_pays[budgets.o_at[i]], (held.o_details[i]->>'left')::bigint)
        ELSE ledger_refusal(held.o_outcomes[i], held.o_details[i]) END;
      IF said[i] IS NULL THEN RAISE EXCEPTION 'payment %: %', ids[i], held.o_outcomes[i]; END IF;
    END IF;
  END LOOP;

  IF array_remove(outcomes, NULL) <> '{}' THEN
    -- Payments with an invalid service key or an ended session did not claim their keys. For a `mismatch` found by
    -- `claim_records`, nothing is stored, because its key belongs to another request.
    PERFORM change_answers(array_agg(o.id), array_agg(CASE WHEN o.outcome IN ('refused', 'mismatch')
              AND o.said->>'code' NOT IN ('service.paused', 'user.paused', 'wallet.pending', 'passkey.required') THEN o.said::json END))
       FROM unnest(ids, hashes, outcomes, said) AS o(id, hash, outcome, said)
      WHERE o.hash IS NOT NULL
        AND (o.outcome IN ('paid', 'ask', 'untraced') OR o.outcome = 'mismatch' AND o.said IS NOT NULL
             OR o.outcome = 'refused' AND o.said->>'code' NOT LIKE 'auth.%')
     HAVING count(*) > 0;
  END IF;

  IF array_remove(notes, NULL) <> '{}' THEN
    PERFORM keep_notes(ids, ARRAY(SELECT CASE WHEN u.outcome IS NULL THEN u.note END
                                    FROM unnest(notes, outcomes) WITH ORDINALITY AS u(note, outcome, n) ORDER BY u.n));
  END IF;

  -- From here on it must succeed: the holds stay.
  RETURN QUERY
    WITH decided AS MATERIALIZED (
      SELECT a.*, (CASE WHEN a.outcome IS NULL AND a.amount >= stricter[1] THEN 2 ELSE 0 END)::smallint AS needed,
             CASE WHEN a.is_known IS NULL AND stricter[2] > 0 THEN held.o_at + stricter[2] * interval '1 second' END AS start_at
        FROM unnest(ids, outcomes, said, amounts, destinations, wallets, usernames, shown, blockchains, is_known, callers)
             WITH ORDINALITY AS a(id, outcome, said, amount, destination, wallet_id, username, shown, blockchain, is_known, caller, n)
    ), inserted AS (
      INSERT INTO payments (payment_id, state, destination, wallet_id, sender_shown, approvals_needed, not_before, updated_at,
        key_id, amount)
      SELECT id, 'INITIATED', destination, wallet_id, shown, needed, start_at, held.o_at, caller, amount FROM decided
       WHERE outcome IS NULL
    ), scheduled AS MATERIALIZED (
      -- Named as `submitJob` in server/src/payments/sends/sendCommand.ts does.
      SELECT schedule_jobs(array_agg('submit ' || blockchain), array_agg(id::text), array_agg(start_at))
        FROM decided WHERE outcome IS NULL AND needed = 0 HAVING count(*) > 0
    ), recorded AS MATERIALIZED (
      SELECT record_audits('payment.accepted', array_agg('key:' || caller ORDER BY n),
                           array_agg(jsonb_build_object('payment_id', id) ORDER BY n))
        FROM decided WHERE outcome IS NULL AND caller IS NOT NULL HAVING count(*) > 0
    )
    SELECT d.n::integer, coalesce(d.outcome, 'accepted'), d.said, d.wallet_id, d.username, held.o_at, d.needed, d.start_at
      FROM decided d LEFT JOIN scheduled ON true LEFT JOIN recorded ON true
     ORDER BY d.n;
END $$;
