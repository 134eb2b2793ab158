-- The tables of the module `db` and those of their columns whose names do not say everything.

COMMENT ON TABLE role_names IS 'Prefix of the names of this database''s roles.';
COMMENT ON COLUMN role_names.prefix IS 'Name of the database at its first migration.';

COMMENT ON TABLE migrations IS 'Applied migrations.';
COMMENT ON COLUMN migrations.sha256 IS 'Hash of the file. A file that was changed after it was applied is refused.';

COMMENT ON TABLE applied_functions IS
  'Functions and comments as last applied. A function is applied again when its text or the version of PostgreSQL '
  'changes; comments when their text changes.';
COMMENT ON COLUMN applied_functions.name IS 'module/name of a function, or comments for all comments.';
COMMENT ON COLUMN applied_functions.sha256 IS 'Hash of the text that was applied.';
COMMENT ON COLUMN applied_functions.server_major IS 'Version of PostgreSQL when it was applied.';

COMMENT ON TABLE releases IS 'Builds that migrated this database.';
COMMENT ON COLUMN releases.version IS 'Three numbers, for example 0.2.0.';
COMMENT ON COLUMN releases.previous IS 'The older release whose processes may still run.';
COMMENT ON COLUMN releases.finished_at IS 'When florin migrate --finish confirmed that none is left.';

COMMENT ON TABLE idempotency_records IS
  'Answers of calls with an idempotency key. Payments between people are recorded in transfers and refusals instead.';
COMMENT ON COLUMN idempotency_records.request_hash IS
  'Hash of the request. The same key with another request is refused.';
COMMENT ON COLUMN idempotency_records.answer IS 'NULL only inside the transaction that works on it.';
