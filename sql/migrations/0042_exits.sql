-- People may decide about a transfer more than once: its provider may know it again, and forget it again, and the id that was
-- adopted may be the wrong one. A decision counts while the transfer is held since before it (`approve_transfer_end`).
DROP INDEX transfer_decisions_once;
CREATE INDEX transfer_decisions_decided ON transfer_decisions (move_id, decided_at) WHERE decided_at IS NOT NULL;

-- An operator says that an arrival is of the wallet that has its address, although its provider names another wallet.
ALTER TABLE open_arrivals ADD COLUMN by_address boolean NOT NULL DEFAULT false;
