-- How long a signature lasts after its making, at most (`signAuthorizations`: validity, and clocks that differ).
CREATE OR REPLACE FUNCTION signature_seconds() RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT 7200::bigint $$;
