-- The primary key of `transfers` made paying slower the more rows there were: ids are made from keys, so each payment
-- changed another page of it. Now the ids of payments between people are in two indexes: a small one that is written, and a
-- large one that is only read (docs/decisions/0026-ids-in-generations.md). `transfers_by_id` reads both; which there are
-- is asked of PostgreSQL's catalogue (`write_transfers_by_id`). Their names end with the `seq` that divides them:
--
--   transfers_ids_upto_S    payments between people up to S; there is none for S = 0
--   transfers_ids_after_S   those after it
--   transfers_other_ids     everything else: few, and written seldom
--
-- `seq + 0`, not `seq`: no other index can be chosen for the comparison, whatever PostgreSQL believes about the table.
--
-- A new database begins with these. In an older one the primary key stays, because processes of release 0.2.0 read it,
-- until an operator replaces it, which locks nothing for long: `migrate --finish` (docs/operating/upgrade.md).
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM transfers) THEN
    ALTER TABLE transfers DROP CONSTRAINT transfers_pkey;
    CREATE UNIQUE INDEX transfers_other_ids ON transfers (transfer_id) WHERE kind <> 'user';
    CREATE UNIQUE INDEX transfers_ids_after_0 ON transfers (transfer_id) WHERE kind = 'user' AND seq + 0 > 0;
  END IF;
END $$;
