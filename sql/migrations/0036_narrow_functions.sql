-- Workers do not shorten the audit log any more; the owner does (`forget_audit`).
DELETE FROM retention WHERE what = 'audit';
ALTER TABLE retention
  DROP CONSTRAINT retention_what_check,
  ADD CONSTRAINT retention_what_check CHECK (what IN ('answers', 'deliveries', 'refusals', 'sessions', 'spendings'));
DROP FUNCTION IF EXISTS forget_audit(integer, tid, tid);
