-- How far forgetting has come in each table (`forget_some`). A table is passed through page by page, a few in a commit, so
-- that it needs no index by age, holds no lock for long, and goes on where it was after a restart.
-- Docs: docs/operating/retention.md.
CREATE TABLE retention (
  what        text PRIMARY KEY CHECK (what IN ('answers', 'audit', 'refusals', 'sessions', 'spendings')),
  -- The page of the table at which it goes on.
  next_page   bigint NOT NULL DEFAULT 0 CHECK (next_page >= 0),
  forgotten   bigint NOT NULL DEFAULT 0,
  finished_at timestamptz
);
INSERT INTO retention (what) VALUES ('answers'), ('audit'), ('refusals'), ('sessions'), ('spendings');
