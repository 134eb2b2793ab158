-- The roster of the operator console: the person who logs in at this issuer with this subject is the operator with this
-- database login. The console's own login reads only this table. A removed operator leaves the roster too. Processes of
-- the previous release ignore the table. Docs: docs/decisions/0056-the-operator-console.md.
CREATE TABLE operator_identities (
  issuer   text NOT NULL CHECK (length(issuer) BETWEEN 1 AND 500),
  subject  text NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
  name     text NOT NULL REFERENCES operators ON DELETE CASCADE,
  added_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX operator_identities_name ON operator_identities (name);

-- The console counts refusals over time. Refusals are appended, so a small index by block range is enough.
CREATE INDEX refusals_by_time ON refusals USING brin (created_at);
