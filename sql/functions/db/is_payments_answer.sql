-- Is this the stored answer of a payment that exists? A send's record has the payment's own id; the answer of one that
-- was imported from the chain names it.
CREATE OR REPLACE FUNCTION is_payments_answer(p_record uuid, p_answer json) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM find_transfers(ARRAY[p_record]))
      OR CASE WHEN p_answer ->> 'answer' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
              THEN EXISTS (SELECT FROM find_transfers(ARRAY[(p_answer ->> 'answer')::uuid])) ELSE false END
$$;
