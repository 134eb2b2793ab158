-- Accepts rows of a payout that go to addresses, in one commit: each becomes an independent payment to an address, and
-- the row is marked as sent. `p_rules` are those of `accept_sends`. `p_rows`: `nth`, `asked` (the token was asked about
-- the address), `blocked` (and refuses it) and `trace` (see `accept_sends`; NULL: not computed).
--
-- `o_ask`: the rows about whose addresses the token must be asked first. `o_waits`: why rows wait.
CREATE OR REPLACE FUNCTION send_payout_rows(p_payout uuid, p_rules jsonb, p_rows jsonb, OUT o_ask integer[], OUT o_waits jsonb)
  LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  p        payouts;
  places   integer[];
  sends    jsonb;
  outcomes text[];
  said     jsonb[];
BEGIN
  PERFORM require_arguments('send_payout_rows',
    p_payout IS NOT NULL AND jsonb_typeof(p_rules) = 'object' AND jsonb_typeof(p_rows) = 'array');
  p := begin_payout_pass(p_payout);
  IF p.payout_id IS NULL THEN RETURN; END IF;
  SELECT decide_payout_rows(p, array_agg(r.nth), array_agg('failed'::text),
           array_agg('{"code": "address.blocked", "details": {"party": "the destination"}}'::jsonb)) INTO o_waits
    FROM jsonb_to_recordset(p_rows) AS r(nth integer, blocked boolean) WHERE r.blocked;
  SELECT array_agg(i.nth ORDER BY i.nth), jsonb_agg(jsonb_build_object(
           'id', i.payment_id, 'caller', p.key_id, 'certificate', encode(p.certificate, 'hex'), 'client', p.client,
           'asked', r.asked, 'trace', r.trace, 'blockchain', i.blockchain, 'currency', p.currency,
           'destination', i.destination, 'amount', i.amount, 'person', p.payer_id, 'note', plain_note(i.note),
           'shown', CASE WHEN p.payer_id IS NULL THEN 'wallet' ELSE 'username' END) ORDER BY i.nth)
    INTO places, sends
    FROM jsonb_to_recordset(p_rows) AS r(nth integer, asked boolean, trace text)
    JOIN payout_items i ON i.payout_id = p_payout AND i.nth = r.nth AND i.state = 'ready' AND i.destination IS NOT NULL;
  IF places IS NULL THEN RETURN; END IF;
  SELECT array_agg(d.outcome ORDER BY d.nth), array_agg(d.said ORDER BY d.nth),
         coalesce(array_agg(places[d.nth] ORDER BY d.nth) FILTER (WHERE d.outcome = 'ask'), '{}')
    INTO outcomes, said, o_ask
    FROM (
      SELECT a.nth, CASE a.outcome WHEN 'accepted' THEN 'sent' WHEN 'known' THEN 'sent' WHEN 'ask' THEN 'ask'
               -- The chain has paid it, and this database has just found out: `recover_payout_rows` decides.
               WHEN 'paid' THEN 'stay' WHEN 'refused' THEN c.outcome ELSE 'failed' END AS outcome,
             CASE a.outcome WHEN 'refused' THEN a.details WHEN 'paid'
               THEN '{"code": "service.unavailable", "details": {"dependency": "custody"}}'
               ELSE '{"code": "reference.used", "details": {}}' END AS said
        FROM accept_sends(p_rules, sends) a, LATERAL (SELECT CASE
               WHEN a.details->>'code' IN ('service.paused', 'user.paused', 'wallet.pending') THEN 'wait'
               WHEN a.details->>'code' IN ('balance.insufficient', 'limit.exceeded', 'key.limit_exceeded')
                    AND a.details->'details'->>'limit' IS DISTINCT FROM 'payment' THEN 'short'
               ELSE 'failed' END AS outcome) c) d;
  o_waits := decide_payout_rows(p, places, outcomes, said);
END $$;
