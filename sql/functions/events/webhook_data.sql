-- The data of an event in the body of a webhook, besides its type and time: ids, with which the receiver can request
-- the rest.
CREATE OR REPLACE FUNCTION webhook_data(p_type text, p_subject uuid, p_people uuid[]) RETURNS jsonb
  LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object(
    CASE split_part(p_type, '.', 1) WHEN 'request' THEN 'request_id' WHEN 'kyc' THEN 'user_id' WHEN 'passkey' THEN 'user_id'
      WHEN 'payout' THEN 'payout_id' WHEN 'key' THEN 'key_id' ELSE 'transaction_id' END,
    p_subject, 'user_ids', to_jsonb(coalesce(p_people, '{}')))
$$;
