-- Two bytes of every id in the index that is only read, so that a new id seldom has to be looked up there
-- (docs/decisions/0026-ids-in-generations.md). The release before does not look here.
--
-- They are used only if `transfers` has the constraint `transfers_marked_upto_S`, where S is the boundary: it refuses
-- payments up to S, so no id can be missing (`ids_are_marked`). A group that is missing says nothing: its ids are looked up.
CREATE TABLE id_marks (
  boundary bigint NOT NULL CHECK (boundary > 0),
  group_no integer NOT NULL CHECK (group_no BETWEEN 0 AND 65535),
  -- Two bytes each, in no order.
  marks    bytea NOT NULL CHECK (octet_length(marks) > 0 AND octet_length(marks) % 2 = 0),
  PRIMARY KEY (boundary, group_no)
);
-- Random bytes cannot be compressed, and are read fastest where the row is.
ALTER TABLE id_marks ALTER COLUMN marks SET STORAGE EXTERNAL, SET (toast_tuple_target = 8160);
