-- The change that a movement makes to the available and held amounts of its debit account (see `transfers`). NULL if it
-- ends a hold that does not exist.
CREATE OR REPLACE FUNCTION books_moved(p_row transfers, OUT available bigint, OUT held bigint)
  LANGUAGE plpgsql STABLE AS $$
BEGIN
  CASE p_row.kind
    WHEN 'hold' THEN
      available := -p_row.amount;
      held := p_row.amount;
    WHEN 'post' THEN
      SELECT h.amount - p_row.amount, -h.amount INTO available, held FROM transfers h
       WHERE h.transfer_id = p_row.hold_id AND h.kind = 'hold' LIMIT 1;
    WHEN 'release' THEN
      available := p_row.amount;
      held := -p_row.amount;
    ELSE
      available := -p_row.amount;
      held := 0;
  END CASE;
END $$;
