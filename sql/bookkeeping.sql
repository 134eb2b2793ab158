-- The migration command's own tables. It runs this file first, every time, so it must be repeatable.

-- The prefix of this database's role names: the database's name at the first migration, because roles belong to a whole
-- PostgreSQL server. A copy under another name keeps the roles of the original.
CREATE TABLE IF NOT EXISTS role_names (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  prefix   text NOT NULL
);

CREATE TABLE IF NOT EXISTS migrations (
  name       text PRIMARY KEY,
  sha256     text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);

-- A function is applied again when its text changes, or when the database has moved to another version of PostgreSQL. The
-- row `comments` stands for all of sql/comments.
CREATE TABLE IF NOT EXISTS applied_functions (
  name         text PRIMARY KEY,
  sha256       text NOT NULL,
  server_major integer NOT NULL,
  applied_at   timestamptz NOT NULL DEFAULT now()
);

-- The builds that have migrated this database. `previous` is the one older release whose processes may still run.
CREATE TABLE IF NOT EXISTS releases (
  version     text PRIMARY KEY,
  previous    text,
  migrated_at timestamptz NOT NULL DEFAULT now()
);
-- When `florin migrate --finish` confirmed that no process of `previous` is left.
ALTER TABLE releases ADD COLUMN IF NOT EXISTS finished_at timestamptz;
