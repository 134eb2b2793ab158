-- Whether the provider of a payment's wallet may have been asked for the payment without this database knowing: a
-- backup was restored, and either the payment was accepted before that, or its client has repeated a key from before. A
-- transfer in a provider's queue does not expire, so waiting is not enough: the provider must be asked
-- (`cancel_at_provider`). Wallets on the rail `eip3009` sign, and a signature expires (`may_be_signed`). A
-- provider that is not registered counts as one that sends.
CREATE OR REPLACE FUNCTION may_be_handed_over(p_payment uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM restores) AND EXISTS (
    SELECT FROM payments p JOIN wallets w USING (wallet_id)
     WHERE p.payment_id = p_payment AND w.provider NOT IN (SELECT r.provider FROM wallet_providers r WHERE r.rail = 'eip3009'))
$$;
