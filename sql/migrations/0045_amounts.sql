-- What a payment to an address pays, and what the service charges for it, apart from the hold: the hold is their sum. Nothing
-- is charged today. Limits of people and keys count the hold, so they count a fee too.
--
-- `amount` is NULL only in rows from before: fee 0, so the hold is the amount. `florin migrate --finish` fills them, because
-- updating every row here would hold up sends. Rows that 0.2.0 inserts are filled by `fill_amount`. `record_first_state` refuses
-- a new row that does not agree with its hold, and `record_state` refuses any change.
ALTER TABLE payments ADD COLUMN amount bigint, ADD COLUMN fee bigint NOT NULL DEFAULT 0;
-- NOT VALID: rows from before need no check, and a scan would hold up sends.
ALTER TABLE payments ADD CONSTRAINT payments_amount_check CHECK (amount > 0) NOT VALID,
  ADD CONSTRAINT payments_fee_check CHECK (fee >= 0) NOT VALID;
