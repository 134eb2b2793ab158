-- Uses up a proof of this deed. Returns false if there is none (see `is_proved`).
CREATE OR REPLACE FUNCTION use_proof(p_user uuid, p_deed jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  -- Two that need the same proof wait for each other here, and the second finds it used.
  PERFORM FROM passkey_challenges WHERE user_id = p_user AND deed = p_deed ORDER BY challenge_id FOR UPDATE;
  IF NOT is_proved(p_user, p_deed) THEN RETURN false; END IF;
  UPDATE passkey_challenges SET used_at = clock_timestamp()
   WHERE user_id = p_user AND deed = p_deed AND proved_at IS NOT NULL AND used_at IS NULL;
  RETURN true;
END $$;
