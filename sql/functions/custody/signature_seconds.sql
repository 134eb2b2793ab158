-- The longest time that a signature can be valid after it was made: its validity plus clock differences
-- (`LONGEST_VALIDITY_SECONDS` in server/src/custody/signing/authorizeMoves.ts).
CREATE OR REPLACE FUNCTION signature_seconds() RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT 7200::bigint $$;
