-- What the migration command knows about this database. Run before everything else, every time, so it must be repeatable.

-- The roles of this database are named after it: roles belong to a whole PostgreSQL, not to one database. A copy under
-- another name keeps the roles of the original.
CREATE TABLE IF NOT EXISTS role_names (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  prefix   text NOT NULL
);

CREATE TABLE IF NOT EXISTS migrations (
  name       text PRIMARY KEY,
  sha256     text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);

-- A function is applied again when its text changes, or when the database has moved to another PostgreSQL.
CREATE TABLE IF NOT EXISTS applied_functions (
  name         text PRIMARY KEY,
  sha256       text NOT NULL,
  server_major integer NOT NULL,
  applied_at   timestamptz NOT NULL DEFAULT now()
);

-- Which builds have migrated this database. `previous` is the one release whose processes may go on beside it.
CREATE TABLE IF NOT EXISTS releases (
  version     text PRIMARY KEY,
  previous    text,
  migrated_at timestamptz NOT NULL DEFAULT now()
);
