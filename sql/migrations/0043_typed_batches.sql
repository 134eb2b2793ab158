CREATE TYPE new_payout AS (
  id uuid, key uuid, certificate text, client inet, payer uuid, wallet uuid, on_shortage text, content_type text,
  known_count integer, known_total bigint
);
CREATE TYPE new_payout_row AS (
  id uuid, reference text, username text, person uuid, destination text, blockchain text, amount bigint, note text
);
