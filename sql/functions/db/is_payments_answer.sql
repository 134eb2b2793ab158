-- Whether this is the stored answer of an existing payment. The record of a send has the payment's own id; the answer
-- of a payment that was imported from the chain contains the payment's id.
CREATE OR REPLACE FUNCTION is_payments_answer(p_record uuid, p_answer json) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM transfers_by_id(ARRAY[p_record]))
      OR CASE WHEN p_answer ->> 'answer' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
              THEN EXISTS (SELECT FROM transfers_by_id(ARRAY[(p_answer ->> 'answer')::uuid])) ELSE false END
$$;
