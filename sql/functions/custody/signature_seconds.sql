-- How long a signature lasts after its making, at most: validity, and clocks that differ (`LONGEST_VALIDITY_SECONDS` in
-- server/src/custody/signing/authorizeMoves.ts).
CREATE OR REPLACE FUNCTION signature_seconds() RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT 7200::bigint $$;
