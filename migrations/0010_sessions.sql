-- A payment is made on behalf of a session. Asking about every session in every batch cost 15 µs per payment; instead a
-- process remembers whose token is whose, and this counter tells it whether anything has happened to any session since.
-- It is compared in the statement that pays: a session that has ended pays nothing from that moment on.
ALTER TABLE ledger_state ADD COLUMN sessions_epoch bigint NOT NULL DEFAULT 0;
-- The last epoch in which something of this session ended: itself, or an access token before its time.
ALTER TABLE sessions ADD COLUMN changed_epoch bigint;
CREATE INDEX sessions_by_change ON sessions (changed_epoch) WHERE changed_epoch IS NOT NULL;

CREATE FUNCTION note_session_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ledger_state SET sessions_epoch = sessions_epoch + 1 RETURNING sessions_epoch INTO NEW.changed_epoch;
  RETURN NEW;
END $$;
CREATE TRIGGER sessions_ended BEFORE UPDATE OF ended_at ON sessions FOR EACH ROW
  WHEN (OLD.ended_at IS DISTINCT FROM NEW.ended_at) EXECUTE FUNCTION note_session_change();
CREATE TRIGGER sessions_stay BEFORE DELETE OR TRUNCATE ON sessions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE FUNCTION note_token_end() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  epoch bigint;
BEGIN
  UPDATE ledger_state SET sessions_epoch = sessions_epoch + 1 RETURNING sessions_epoch INTO epoch;
  UPDATE sessions SET changed_epoch = epoch WHERE session_id = OLD.session_id;
  RETURN NULL;
END $$;
-- Those whose time is over are forgotten by the clock.
CREATE TRIGGER session_tokens_ended AFTER DELETE ON session_tokens FOR EACH ROW
  WHEN (OLD.kind = 'access' AND OLD.expires_at > now()) EXECUTE FUNCTION note_token_end();
CREATE TRIGGER session_tokens_lapsed AFTER UPDATE OF expires_at ON session_tokens FOR EACH ROW
  WHEN (OLD.kind = 'access' AND NEW.expires_at < OLD.expires_at) EXECUTE FUNCTION note_token_end();

-- As `ledger_pay_users`, unless something has happened to a session since `p_sessions` (NULL: the batch is of none).
CREATE FUNCTION pay_users_in_sessions(
  p_sessions bigint,
  p_asset smallint, p_epoch bigint,
  p_accounts bigint[], p_net bigint[], p_out bigint[], p_sends integer[], p_touches integer[],
  p_ids uuid[], p_keyed boolean[], p_debits integer[], p_credits integer[], p_amounts bigint[],
  p_froms text[], p_tos text[], p_typed text[],
  OUT o_at_ms bigint, OUT o_available bigint[], OUT o_rare jsonb
) LANGUAGE plpgsql AS $$
BEGIN
  IF p_sessions IS NOT NULL AND NOT EXISTS (SELECT FROM ledger_state WHERE sessions_epoch = p_sessions) THEN
    o_rare := '{"changed": true}';
    RETURN;
  END IF;
  SELECT p.o_at_ms, p.o_available, p.o_rare INTO o_at_ms, o_available, o_rare
    FROM ledger_pay_users(p_asset, p_epoch, p_accounts, p_net, p_out, p_sends, p_touches, p_ids, p_keyed, p_debits,
                          p_credits, p_amounts, p_froms, p_tos, p_typed) p;
END $$;

-- Rate windows are written far more often than they are swept: the sweep may read them all.
DROP INDEX rate_windows_ends;
