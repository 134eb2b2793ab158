-- The payments that the rules of their keys do not allow, with the code and details of an error. One element per
-- payment; NULL for a payment without a key. `p_wallets` and `p_payers` are the paying wallet and person; the treasury
-- has no person. Day and month limits are decided with the hold (`lock_key_budgets`). A key without rules costs one
-- lookup.
CREATE OR REPLACE FUNCTION find_key_objections(
  p_keys uuid[], p_blockchains text[], p_destinations text[], p_wallets uuid[], p_payers uuid[], p_amounts bigint[]
) RETURNS TABLE (nth integer, refusal jsonb) LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
#variable_conflict use_column
BEGIN
  IF NOT EXISTS (SELECT FROM key_rules WHERE key_id = ANY (p_keys)) THEN RETURN; END IF;
  RETURN QUERY
    SELECT o.n::integer, CASE WHEN o.what = 'limit'
             THEN key_limit_refusal('payment', o.payment_limit, o.payment_limit, NULL)
             ELSE jsonb_build_object('code', 'key.not_allowed', 'details', jsonb_build_object('what', o.what)) END
      FROM (SELECT p.n, b.payment_limit, CASE
                WHEN p.blockchain <> ALL (k.blockchains) THEN 'blockchain'
                WHEN p.payer IS NULL AND NOT b.allowed THEN 'treasury'
                WHEN p.payer IS NOT NULL AND NOT k.any_person AND NOT EXISTS (SELECT FROM key_payers w
                       WHERE w.key_id = p.key_id AND (w.user_id = p.payer OR w.wallet_id = p.wallet)) THEN 'wallet'
                WHEN NOT k.any_destination AND NOT EXISTS (SELECT FROM key_destinations d WHERE d.key_id = p.key_id
                       AND lower(p.destination) COLLATE "C" BETWEEN d.first_address AND d.last_address
                       AND length(p.destination) = length(d.first_address)) THEN 'destination'
                WHEN p.amount > b.payment_limit THEN 'limit' END AS what
              FROM unnest(p_keys, p_blockchains, p_destinations, p_wallets, p_payers, p_amounts) WITH ORDINALITY
                   AS p(key_id, blockchain, destination, wallet, payer, amount, n)
              JOIN key_rules k ON k.key_id = p.key_id
              JOIN key_budgets b ON b.key_id = p.key_id
                                AND b.pays = CASE WHEN p.payer IS NULL THEN 'treasury' ELSE 'people' END) o
     WHERE o.what IS NOT NULL;
END $$;
