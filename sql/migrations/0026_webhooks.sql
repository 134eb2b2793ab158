ALTER TABLE retention
  DROP CONSTRAINT retention_what_check,
  ADD CONSTRAINT retention_what_check
    CHECK (what IN ('answers', 'audit', 'deliveries', 'refusals', 'sessions', 'spendings'));
INSERT INTO retention (what) VALUES ('deliveries');
