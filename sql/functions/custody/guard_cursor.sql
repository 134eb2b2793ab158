-- While the logs after the cursor's block are only partly applied, the cursor moves only together with the applied
-- part. A process of the previous release does not know about partial application and would count the same coins again.
CREATE OR REPLACE FUNCTION guard_cursor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'blocks after % are applied in part: the cursor moves when the rest is applied', OLD.block_number
    USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER chain_cursors_guard BEFORE UPDATE ON chain_cursors FOR EACH ROW
  WHEN (OLD.part_number IS NOT NULL AND NEW.part_number IS NOT NULL AND NEW.block_hash <> OLD.block_hash)
  EXECUTE FUNCTION guard_cursor();
