-- Whether a payment still waits for its delay or for approvals.
CREATE OR REPLACE FUNCTION payment_waits(p payments) RETURNS boolean LANGUAGE sql AS $$
  SELECT coalesce(p.not_before > clock_timestamp(), false) OR (p.approvals_needed > 0
    AND p.approvals_needed > (SELECT count(*) FROM approvals a WHERE a.payment_id = p.payment_id))
$$;
