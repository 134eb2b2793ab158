-- What is kept of each id in the index that is only read, so that a new id seldom has to be looked up there, becomes three
-- bits in a page of bits instead of two bytes in a list: half the memory, and less than half the time of a look
-- (docs/decisions/0026-ids-in-generations.md). The release before looks at neither.
--
-- They become those of all movements, as do the two indexes of ids when they are renewed: one look into the smaller one then
-- answers for every kind. As before they are used only if `transfers` has the constraint `transfers_marked_upto_S`, where S is
-- the boundary (`marked_groups`), and a group that is missing says nothing: its ids are looked up. The next
-- `migrate --renew-ids` fills them; until then every id is looked up.

-- Up to which `seq` PostgreSQL refuses movements, because the ids up to there are marked; `ledger_tx_seq` stays above it. First,
-- because payments read it first too.
ALTER TABLE ledger_state ADD COLUMN ids_upto bigint NOT NULL DEFAULT 0;
UPDATE ledger_state SET ids_upto = coalesce((SELECT max(substring(conname FROM '[0-9]+$')::bigint) FROM pg_constraint
  WHERE conrelid = 'transfers'::regclass AND conname ~ '^transfers_marked_upto_[0-9]+$'), 0);

DO $$
BEGIN
  DELETE FROM id_marks;
  -- Without marks `transfers_by_id` looks nowhere else. A new database has no functions yet.
  IF to_regproc('write_transfers_by_id') IS NOT NULL THEN PERFORM write_transfers_by_id(); END IF;
END $$;
DROP TABLE id_marks;
DROP FUNCTION IF EXISTS id_group(uuid);
DROP FUNCTION IF EXISTS id_mark(uuid);
DROP FUNCTION IF EXISTS ids_are_marked(bigint);

CREATE TABLE id_marks (
  boundary bigint NOT NULL CHECK (boundary > 0),
  -- In how many groups the ids are divided, and which of them this is.
  groups   integer NOT NULL,
  group_no integer NOT NULL CHECK (group_no >= 0 AND group_no < groups),
  -- As many as fit on a page. An id whose three bits are not all set (`has_marks`) is not in the index.
  bits     bytea NOT NULL CHECK (octet_length(bits) = 8064),
  -- Every payment looks here, and one look into a hash costs less than one into a tree. Of one boundary at a time.
  CONSTRAINT id_marks_of_group EXCLUDE USING hash (group_no WITH =)
);
-- Random bits cannot be compressed, and are read fastest where the row is.
ALTER TABLE id_marks ALTER COLUMN bits SET STORAGE EXTERNAL, SET (toast_tuple_target = 8160);
