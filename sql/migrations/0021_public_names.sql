-- A person can let strangers find their name: on their payment page, and by the address of their wallet. Off until they
-- choose it. Docs: docs/decisions/0054-pay-me-links.md.
ALTER TABLE users ADD COLUMN discoverable boolean NOT NULL DEFAULT false;

-- The current names of these people, a copy of `usernames`. Strangers are answered from this table alone, so a name that
-- no one has, the name of a closed account and the name of a person who has not chosen it get the same answer from the same
-- work: one search in one index that finds nothing. `list_public_name` keeps it.
CREATE TABLE public_names (
  username text PRIMARY KEY REFERENCES usernames ON DELETE CASCADE,
  user_id  uuid NOT NULL UNIQUE REFERENCES users
);
