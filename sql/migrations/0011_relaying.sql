-- Relaying: throughput that does not depend on how long a chain takes to be final, bids and gas that follow the chain.
-- Everything here may be used beside release 0.2.0, which leaves the new columns alone.

-- A relayer's next nonce, kept by the trigger `follow_nonce`; NULL: it has used none, so `first_nonce` is next. That nonces
-- have no gaps is still held by the foreign key of `carriers`.
ALTER TABLE relayers
  ADD COLUMN next_nonce bigint,
  -- What a unit of gas costs now, to say how many payments `gas_wei` still pays for.
  ADD COLUMN gas_price_wei numeric(40),
  -- Why it is given no new work for now, and how much money ends that. Unlike `stopped`, this goes away by itself.
  ADD COLUMN trouble text,
  ADD COLUMN needs_wei numeric(40),
  -- Since when the chain has known more nonces of it than we do.
  ADD COLUMN ahead_since timestamptz,
  -- When nonces that were used elsewhere were first found and passed over.
  ADD COLUMN foreign_since timestamptz,
  ADD CONSTRAINT relayers_next_nonce_check CHECK (next_nonce > first_nonce),
  ADD CONSTRAINT relayers_trouble_check CHECK ((trouble IS NULL) = (needs_wei IS NULL));
UPDATE relayers r SET next_nonce = (SELECT max(nonce) + 1 FROM carriers c WHERE c.relayer_id = r.relayer_id);

-- Where a pending carrier was seen in a block, by which of its attempts. It is a hint about progress and says nothing about
-- payments: the carrier stays `pending` until that block is final, but takes no place in the pools any more.
ALTER TABLE carriers
  ADD COLUMN mined_block bigint,
  ADD COLUMN mined_hash text,
  ADD COLUMN mined_at timestamptz,
  -- False: `data`, and `raw` of its attempts, were emptied, because no reorg that we can follow reaches its block.
  ADD COLUMN has_bytes boolean NOT NULL DEFAULT true,
  ADD CONSTRAINT carriers_has_bytes_check CHECK (has_bytes OR state <> 'pending') NOT VALID,
  ADD CONSTRAINT carriers_mined_check
    CHECK ((mined_block IS NULL) = (mined_hash IS NULL) AND (mined_block IS NULL) = (mined_at IS NULL)) NOT VALID;
CREATE INDEX carriers_waiting ON carriers (relayer_id, nonce) WHERE state = 'pending' AND mined_block IS NULL;
CREATE INDEX carriers_mined ON carriers (relayer_id, mined_block) WHERE state = 'pending' AND mined_block IS NOT NULL;
CREATE INDEX carriers_ended ON carriers (relayer_id, block_number) WHERE state <> 'pending';
CREATE INDEX carriers_with_bytes ON carriers (relayer_id, block_number) WHERE state <> 'pending' AND has_bytes;

-- The gas limit it was signed with (NULL: by release 0.2.0, with that of its carrier), and the head at that time.
ALTER TABLE carrier_attempts
  ADD COLUMN gas_limit bigint,
  ADD COLUMN signed_at_block bigint;

-- From this version of its carrier on, the carrier does without this call: it lapsed, or the relayer could not pay for it.
-- Bytes of an older version may still be mined; that is safe, because the token takes every authorization once.
ALTER TABLE carrier_calls ADD COLUMN dropped_in integer
  CONSTRAINT carrier_calls_dropped_in_check CHECK (dropped_in > 1);

CREATE INDEX carrier_calls_cancelling ON carrier_calls (carrier_id) WHERE cancelled_in IS NOT NULL;

-- False: an open move that no pending carrier carries, so it is to be carried. Kept by the trigger `follow_carried`: asking all
-- carriers for every open move would take longer the longer a chain takes to be final.
ALTER TABLE authorizations ADD COLUMN carried boolean NOT NULL DEFAULT true;
ALTER TABLE authorizations ALTER COLUMN carried SET DEFAULT false;
UPDATE authorizations a SET carried = false FROM coin_moves m
 WHERE m.move_id = a.move_id AND m.state = 'open'
   AND NOT EXISTS (SELECT FROM carrier_calls l JOIN carriers c USING (carrier_id)
                    WHERE l.move_id = m.move_id AND c.state = 'pending');
CREATE INDEX authorizations_to_carry ON authorizations (carry_after) WHERE NOT carried;

-- The service itself writes down what it has mended.
ALTER TABLE audit_log
  DROP CONSTRAINT audit_log_actor_check,
  ADD CONSTRAINT audit_log_actor_check CHECK (actor ~ '^(user|operator|provider|service):.') NOT VALID;
