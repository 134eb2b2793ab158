-- Updates the list of people and addresses that a person has paid, from at most `p_most` new rows of each of their
-- accounts. Returns true if more rows remain. A person counts as paid immediately, an address when the hold is posted.
--
-- The row of `payee_reads` is locked, so that no ledger row is processed twice.
CREATE OR REPLACE FUNCTION note_payees(p_user uuid, p_most bigint) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
  a       record;
  done    bigint;
  top     bigint;
  is_more boolean := false;
BEGIN
  PERFORM require_arguments('note_payees', p_user IS NOT NULL AND p_most > 0);
  FOR a IN
    SELECT x.account_id, x.entries FROM accounts x LEFT JOIN payee_reads r USING (account_id)
     WHERE x.user_id = p_user AND x.entries > coalesce(r.entry, 0) ORDER BY x.account_id
  LOOP
    INSERT INTO payee_reads (account_id, entry) VALUES (a.account_id, 0) ON CONFLICT DO NOTHING;
    SELECT entry INTO done FROM payee_reads WHERE account_id = a.account_id FOR UPDATE;
    top := least(done + p_most, a.entries);
    is_more := is_more OR top < a.entries;
    -- Another process has just processed them.
    CONTINUE WHEN top <= done;

    INSERT INTO payees AS p (user_id, person, last_seq, last_at, last_asset, payments)
    SELECT p_user, c.user_id, max((e.transfer).seq), max((e.transfer).created_at), max((e.transfer).asset_id), count(*)
      FROM ledger_entries(a.account_id, top + 1, done + 1) e
      JOIN accounts c ON c.account_id = (e.transfer).credit_account
     WHERE (e.transfer).kind = 'user' AND (e.transfer).debit_account = a.account_id
     GROUP BY c.user_id
    ON CONFLICT (user_id, person) WHERE person IS NOT NULL DO UPDATE
      SET last_seq = greatest(p.last_seq, excluded.last_seq), last_at = greatest(p.last_at, excluded.last_at),
          last_asset = CASE WHEN excluded.last_seq > p.last_seq THEN excluded.last_asset ELSE p.last_asset END,
          payments = p.payments + excluded.payments;

    INSERT INTO payees AS p (user_id, address, last_seq, last_at, last_asset, payments)
    SELECT p_user, address_key(m.destination), max((e.transfer).seq), max((e.transfer).created_at), max((e.transfer).asset_id),
           count(*)
      FROM ledger_entries(a.account_id, top + 1, done + 1) e
      JOIN payments m ON m.payment_id = (e.transfer).hold_id
     WHERE (e.transfer).kind = 'post' AND (e.transfer).debit_account = a.account_id AND m.destination IS NOT NULL
     GROUP BY address_key(m.destination)
    ON CONFLICT (user_id, address) WHERE address IS NOT NULL DO UPDATE
      SET last_seq = greatest(p.last_seq, excluded.last_seq), last_at = greatest(p.last_at, excluded.last_at),
          last_asset = CASE WHEN excluded.last_seq > p.last_seq THEN excluded.last_asset ELSE p.last_asset END,
          payments = p.payments + excluded.payments;

    UPDATE payee_reads SET entry = top WHERE account_id = a.account_id;
  END LOOP;
  RETURN is_more;
END $$;
