-- To whom a send goes, as a passkey agrees to it: the token (`BASE USDC`) and the address, in one spelling.
CREATE OR REPLACE FUNCTION party_of_send(p_token text, p_destination text) RETURNS text
  LANGUAGE sql IMMUTABLE AS $$
  SELECT p_token || ' ' || address_key(p_destination)
$$;
