-- What customers read about a pause; it follows a colon. The stored reasons are for operators: the service's own name
-- wallets, amounts, blocks and relayers, and an operator writes for other operators. This is the only place that turns
-- one into the other, so a stored reason never leaves through a refusal.
CREATE OR REPLACE FUNCTION pause_words(p_scope text, p_cause text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE p_cause
    WHEN 'closed' THEN 'the account is closed'
    WHEN 'drift' THEN 'the coins on this blockchain are being counted again'
    WHEN 'unexplained' THEN 'a movement of coins on this blockchain is being looked into'
    WHEN 'contradicted' THEN 'what the wallets on this blockchain have paid is being looked into'
    WHEN 'audit' THEN 'the balances on this blockchain are being checked'
    WHEN 'reorg' THEN 'this blockchain has taken back what it had called final'
    WHEN 'gas' THEN 'the fees of this blockchain cannot be paid at the moment'
    ELSE CASE WHEN p_scope LIKE 'user:%' THEN 'the operator of this service has stopped them and can say why'
              ELSE 'the operator of this service has stopped them for now' END
  END
$$;
