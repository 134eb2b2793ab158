-- A call that ran out of gas is carried again with more. NULL: the usual amount.
ALTER TABLE authorizations ADD COLUMN call_gas bigint CHECK (call_gas > 0);
