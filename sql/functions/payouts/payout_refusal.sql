-- Why rows of a payout may not be paid now, as code and details of an error: its payer has closed their account, or its
-- key may no longer be used; `service.paused`: only until operators confirm the keys after a restore. NULL: they may.
-- Customers read the reason; `florin payout show` tells operators about the keys.
CREATE OR REPLACE FUNCTION payout_refusal(p payouts) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  refusal jsonb;
BEGIN
  -- `close_account` refuses while a payout may pay. Accounts that an earlier version has closed may still have one.
  IF EXISTS (SELECT FROM users WHERE user_id = p.payer_id AND closed_at IS NOT NULL) THEN
    RETURN '{"code": "account.closed", "details": {}}';
  END IF;
  refusal := find_key_refusals(ARRAY[p.key_id], ARRAY[p.certificate], ARRAY[p.client])->'1';
  IF refusal->'details'->>'reason' = 'revoked'
    AND EXISTS (SELECT FROM service_keys WHERE key_id = p.key_id AND revoked_at IS NULL AND user_id IS NULL) THEN
    RETURN '{"code": "service.paused", "details": {"reason": "the operator of this service has to confirm them first"}}';
  END IF;
  RETURN refusal;
END $$;
