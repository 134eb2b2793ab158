-- What operators must see: that gas costs more than relayers may bid, and that the signer refuses a relay transaction.
-- Workers of the previous release leave these columns as they are.
ALTER TABLE relayers
  ADD COLUMN fee_wei numeric(40,0),
  ADD COLUMN fee_cap_wei numeric(40,0);
ALTER TABLE carriers ADD COLUMN refusal text CHECK (length(refusal) BETWEEN 1 AND 500);
