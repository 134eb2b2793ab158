-- A call that ran out of gas is carried again with more. NULL: the usual amount.
ALTER TABLE authorizations ADD COLUMN call_gas bigint CHECK (call_gas > 0);

-- The provider lists what has left wallets too, where nobody of ours reads the chain. `left`: no move of ours explains it.
-- `to_address` is the address that was looked for among our wallets: of what has left, where it came from.
ALTER TABLE arrivals DROP CONSTRAINT arrivals_verdict_check,
  ADD CONSTRAINT arrivals_verdict_check CHECK (verdict IN ('credited', 'own', 'other', 'unowned', 'left'));
