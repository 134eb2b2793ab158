-- The tables of the module `custody` and those of their columns whose names do not say everything.

COMMENT ON TABLE holdings IS 'Coins per wallet and asset.';
COMMENT ON COLUMN holdings.coins IS 'Coins in the wallet, in millionths. Only final logs change it.';
COMMENT ON COLUMN holdings.reserved IS 'Reserved for open moves. Only the trigger move_reservation changes it.';
COMMENT ON COLUMN holdings.ledger IS
  'The amount that the ledger owes the owner, as of the last update. It can be behind.';
COMMENT ON COLUMN holdings.incoming IS 'Open settlements to this wallet.';
COMMENT ON COLUMN holdings.outgoing IS 'Open settlements from this wallet.';
COMMENT ON COLUMN holdings.blocked_at IS 'Since when the token refuses this wallet.';
COMMENT ON COLUMN holdings.asked_at IS 'When the token contract was last asked whether it blocks the wallet.';
COMMENT ON COLUMN holdings.unchecked IS 'The coins changed since they were last compared with the chain.';
COMMENT ON COLUMN holdings.surplus IS
  'Coins beyond what the owner is owed once open settlements have arrived; negative if coins are missing.';
COMMENT ON COLUMN holdings.refused_until IS
  'Coins could not be moved out of the wallet. Until then no other wallet''s payment relies on them.';
COMMENT ON COLUMN holdings.refusals IS 'Consecutive refusals.';
COMMENT ON COLUMN holdings.refusal IS 'Why coins could not be moved out of the wallet.';

COMMENT ON TABLE kept_positions IS
  'The ledger position up to which holdings.ledger is current; one row, or none if unknown.';

COMMENT ON TABLE asset_positions IS 'Progress of reconciliation per asset.';
COMMENT ON COLUMN asset_positions.paid_seq IS 'The newest payment between people that was followed.';
COMMENT ON COLUMN asset_positions.coins IS 'Sum of all coins, kept by the trigger sum_coins; NULL until counted.';
COMMENT ON COLUMN asset_positions.checked_to IS 'The wallet that the current round of reconciliation has reached.';

COMMENT ON TABLE settlements IS 'Coin moves that bring each wallet to the amount its owner is owed, planned together.';
COMMENT ON COLUMN settlements.covers_seq IS
  'It settles every payment between people below this seq; NULL for one that only funds a send.';
COMMENT ON COLUMN settlements.leaves IS 'Differences up to this amount per wallet stay unsettled.';
COMMENT ON COLUMN settlements.left_out IS 'Accounts whose coins could not be moved.';

COMMENT ON TABLE coin_moves IS
  'A request to move coins from a wallet to an address, and its result. The id of a send is its payment''s id.';
COMMENT ON COLUMN coin_moves.purpose IS 'send (a payment to an address) or settlement (between own wallets).';
COMMENT ON COLUMN coin_moves.to_wallet IS 'Receiving wallet of a settlement.';
COMMENT ON COLUMN coin_moves.funds IS 'The send that waits for this settlement.';
COMMENT ON COLUMN coin_moves.rail IS
  'How it is executed: eip3009 (we relay a signature) or provider (the provider sends).';
COMMENT ON COLUMN coin_moves.reserved IS
  'Part of the amount reserved in its own wallet; settlements reserve the rest elsewhere.';
COMMENT ON COLUMN coin_moves.state IS
  'done: a final transfer on the chain is this move. dead: it is proved that there will never be one.';
COMMENT ON COLUMN coin_moves.started_at IS
  'First signature or first call to the provider. While NULL, no outside party knows the move, so it can end '
  'immediately.';
COMMENT ON COLUMN coin_moves.cancel_wanted_at IS 'A cancellation was requested. Nothing starts after that.';

COMMENT ON TABLE authorizations IS 'Rail eip3009: the signed transfer of a move. The token accepts its nonce once.';
COMMENT ON COLUMN authorizations.nonce IS 'Derived from the id of the move.';
COMMENT ON COLUMN authorizations.valid_before IS
  'The latest signed end of validity, in seconds of chain time; 0 if never signed.';
COMMENT ON COLUMN authorizations.failures IS 'Times that it was relayed without effect, or refused by the signer.';
COMMENT ON COLUMN authorizations.failure_reason IS 'Why the last attempt had no effect.';
COMMENT ON COLUMN authorizations.carry_after IS 'When it can be relayed again.';
COMMENT ON COLUMN authorizations.carried IS
  'A pending relay transaction contains it. Kept by the trigger follow_carried.';
COMMENT ON COLUMN authorizations.waits_for IS 'Why the signer has not signed it; NULL if nothing prevents it.';
COMMENT ON COLUMN authorizations.waits_since IS 'Since when waits_for has a value.';
COMMENT ON COLUMN authorizations.cancel_refusals IS 'Refused cancellations.';
COMMENT ON COLUMN authorizations.cancel_after IS 'When a refused cancellation is requested again.';
COMMENT ON COLUMN authorizations.call_gas IS 'Gas for its call after it ran out of gas; NULL for the usual amount.';

COMMENT ON TABLE signatures IS 'Each signature, committed before anyone outside sees it.';
COMMENT ON COLUMN signatures.valid_before IS 'End of validity in seconds of chain time.';
COMMENT ON COLUMN signatures.signature IS 'Signature of the transferWithAuthorization call.';

COMMENT ON TABLE cancellations IS 'Signed cancellations of authorizations.';
COMMENT ON COLUMN cancellations.signature IS 'Signature of the cancelAuthorization call.';

COMMENT ON TABLE signed_hours IS 'Amounts that the signer signed per hour, for its own limit.';
COMMENT ON COLUMN signed_hours.hour IS 'Start of the hour.';
COMMENT ON COLUMN signed_hours.amount IS 'Signed in that hour, in millionths.';

COMMENT ON TABLE provider_turns IS 'Calls to a provider per rate limit, shared by all processes. Unlogged.';
COMMENT ON COLUMN provider_turns.bucket IS 'Name of the rate limit.';
COMMENT ON COLUMN provider_turns.taken IS 'Times of recent calls.';
COMMENT ON COLUMN provider_turns.yielding IS 'The calls among them that give way to more urgent ones.';

COMMENT ON TABLE provider_transfers IS
  'Rail provider: a transfer that the provider makes. The row is committed before the first call.';
COMMENT ON COLUMN provider_transfers.provider IS 'Name of the provider, as wallets.provider.';
COMMENT ON COLUMN provider_transfers.key IS 'Idempotency key at the provider.';
COMMENT ON COLUMN provider_transfers.provider_state IS
  'new: no answer yet. The others repeat the provider''s report; only a final log proves a payment.';
COMMENT ON COLUMN provider_transfers.tx_hash IS 'As reported by the provider; it can change.';
COMMENT ON COLUMN provider_transfers.error IS 'The provider''s reason for a failure.';
COMMENT ON COLUMN provider_transfers.ended_head IS
  'Head of the chain when the provider reported an end without a transfer. The move is dead when final blocks up to '
  'here do not contain it.';
COMMENT ON COLUMN provider_transfers.cancel_answer IS 'Answer to the last cancellation: accepted, rejected or unknown.';
COMMENT ON COLUMN provider_transfers.attempts IS 'Times that the provider may have received the request.';
COMMENT ON COLUMN provider_transfers.counted_at IS 'Counted against the signer''s limit, once.';
COMMENT ON COLUMN provider_transfers.held_at IS 'The provider no longer knows the key; operators decide.';
COMMENT ON COLUMN provider_transfers.waits_for IS 'Why it was not handed over yet.';
COMMENT ON COLUMN provider_transfers.accelerations IS 'Times that the provider was asked to raise the fee.';
COMMENT ON COLUMN provider_transfers.cancel_refusals IS 'Refused cancellations. Each new one uses a new key.';

COMMENT ON TABLE transfer_decisions IS 'Decisions of two operators about a held provider transfer.';
COMMENT ON COLUMN transfer_decisions.verdict IS
  'adopt: the provider has it under provider_id. never_made: it does not exist.';

COMMENT ON TABLE provider_webhook_keys IS 'Public keys of providers for webhook signatures.';
COMMENT ON COLUMN provider_webhook_keys.adapter IS 'The adapter whose webhook uses the key, for example circle.';
COMMENT ON COLUMN provider_webhook_keys.key_id IS 'As a webhook names it.';
COMMENT ON COLUMN provider_webhook_keys.public_key IS 'DER, SubjectPublicKeyInfo.';

COMMENT ON TABLE relayers IS 'Keys that pay gas.';
COMMENT ON COLUMN relayers.reference IS 'Identifies the key at the signer.';
COMMENT ON COLUMN relayers.first_nonce IS 'The first nonce that we use.';
COMMENT ON COLUMN relayers.stopped IS 'Why it is stopped until an operator acts; NULL while it works.';
COMMENT ON COLUMN relayers.gas_wei IS 'Balance of the chain''s coin, in wei.';
COMMENT ON COLUMN relayers.next_nonce IS 'Kept by the trigger follow_nonce; NULL if no nonce was used.';
COMMENT ON COLUMN relayers.gas_price_wei IS
  'Current price of gas in wei, to estimate how many payments gas_wei covers.';
COMMENT ON COLUMN relayers.fee_wei IS 'What a unit of gas costs now, in wei; NULL before it was read.';
COMMENT ON COLUMN relayers.fee_cap_wei IS 'The highest bid for a unit of gas in wei, from FLORIN_MAX_FEE_GWEI of the worker.';
COMMENT ON COLUMN relayers.trouble IS 'Why it gets no new work for now. It ends without an operator.';
COMMENT ON COLUMN relayers.needs_wei IS 'The balance that ends the trouble, in wei.';
COMMENT ON COLUMN relayers.ahead_since IS 'Since when the chain has more nonces than this database.';
COMMENT ON COLUMN relayers.foreign_since IS 'When nonces used by someone else were first skipped.';

COMMENT ON TABLE carriers IS
  'Relay transactions: a nonce of a relayer and the chain transaction that uses it. Nonces have no gaps.';
COMMENT ON COLUMN carriers.nonce IS 'Nonce of the relayer''s account.';
COMMENT ON COLUMN carriers.previous_nonce IS 'nonce - 1, so that a foreign key can refuse gaps; NULL for the first.';
COMMENT ON COLUMN carriers.target IS 'Address of the called contract.';
COMMENT ON COLUMN carriers.data IS 'Call data; emptied when no reorg can reach the block.';
COMMENT ON COLUMN carriers.gas_limit IS 'Gas limit of the transaction.';
COMMENT ON COLUMN carriers.version IS 'Raised when the transaction is rewritten under the same nonce.';
COMMENT ON COLUMN carriers.state IS 'foreign: something that we did not send used the nonce.';
COMMENT ON COLUMN carriers.missing_since IS 'The nonce is used, and none of our attempts was found.';
COMMENT ON COLUMN carriers.mined_block IS 'Seen in this block, which is not final yet.';
COMMENT ON COLUMN carriers.mined_hash IS 'Hash of that block.';
COMMENT ON COLUMN carriers.refusal IS 'Why the signer last refused to sign it; NULL after it has signed.';
COMMENT ON COLUMN carriers.has_bytes IS 'False after data and raw were emptied, because no reorg can reach the block.';

COMMENT ON TABLE carrier_attempts IS 'Signed versions of a relay transaction, committed before they are broadcast.';
COMMENT ON COLUMN carrier_attempts.hash IS 'Transaction hash, 0x and lower case.';
COMMENT ON COLUMN carrier_attempts.version IS 'carriers.version when it was signed.';
COMMENT ON COLUMN carrier_attempts.raw IS 'Signed bytes; emptied when no reorg can reach the block.';
COMMENT ON COLUMN carrier_attempts.max_fee_wei IS 'maxFeePerGas, in wei.';
COMMENT ON COLUMN carrier_attempts.priority_fee_wei IS 'maxPriorityFeePerGas, in wei.';
COMMENT ON COLUMN carrier_attempts.answer IS 'Last answer of a node to the broadcast.';
COMMENT ON COLUMN carrier_attempts.gas_limit IS 'Gas limit of this version; NULL if release 0.2.0 signed it.';
COMMENT ON COLUMN carrier_attempts.signed_at_block IS 'Head of the chain when it was signed.';

COMMENT ON TABLE carrier_calls IS 'Token calls in a relay transaction, one per authorization.';
COMMENT ON COLUMN carrier_calls.position IS 'Place of the call in the transaction.';
COMMENT ON COLUMN carrier_calls.cancelled_in IS 'From this version on, the call is the cancellation.';
COMMENT ON COLUMN carrier_calls.dropped_in IS 'From this version on, the call is left out.';

COMMENT ON TABLE chain_cursors IS
  'How far final blocks were read. It moves in the same commit as everything the blocks caused.';
COMMENT ON COLUMN chain_cursors.block_seconds IS 'Time of the block, in seconds since 1970.';
COMMENT ON COLUMN chain_cursors.head_number IS 'Head of the chain when the cursor last moved.';
COMMENT ON COLUMN chain_cursors.recheck_to IS 'After a reorg below finality: blocks up to here are read again.';
COMMENT ON COLUMN chain_cursors.part_number IS
  'While blocks after the cursor are partly applied: the block of the last applied log; otherwise NULL.';
COMMENT ON COLUMN chain_cursors.part_hash IS 'Hash of that block.';
COMMENT ON COLUMN chain_cursors.part_log IS 'Index of that log in the block.';
COMMENT ON COLUMN chain_cursors.first_block IS 'Where watching began.';
COMMENT ON COLUMN chain_cursors.wallet_checks IS
  'Raised when new wallets were checked or the chain was rewound. Logs read before that are not applied.';

COMMENT ON TABLE chain_blocks IS 'Blocks that the cursor passed, to find the common ancestor after a reorg.';
COMMENT ON COLUMN chain_blocks.block_seconds IS 'Time of the block; NULL if release 0.2.0 wrote the row.';

COMMENT ON TABLE deposits IS 'Credited deposits.';
COMMENT ON COLUMN deposits.ordinal IS
  'Counts within a chain transaction and wallet. Unlike the log index, a reorg does not change it.';
COMMENT ON COLUMN deposits.transfer_id IS 'The movement in the ledger.';
COMMENT ON COLUMN deposits.state IS
  'gone: its block was replaced. lost: it will not return, and the service bears the loss.';

COMMENT ON TABLE pending_deposits IS 'Deposits in blocks that are not final.';

COMMENT ON TABLE held_logs IS
  'Final transfers out of our wallets that may belong to an open provider transfer whose hash is unknown.';
COMMENT ON COLUMN held_logs.from_wallet IS 'Our wallet that the coins left.';
COMMENT ON COLUMN held_logs.to_wallet IS 'Our wallet that received them; NULL for a foreign address.';
COMMENT ON COLUMN held_logs.ordinal IS 'As deposits.ordinal, for the receiving wallet.';

COMMENT ON TABLE unexplained_moves IS
  'Transfers out of our wallets without a move: after a restore, or with a stolen key. Sends pause until an operator '
  'imports them.';
COMMENT ON COLUMN unexplained_moves.log_index IS 'Negative: imported, and removed by a reorg.';
COMMENT ON COLUMN unexplained_moves.imported_as IS 'The payment or settlement that explains it.';
COMMENT ON COLUMN unexplained_moves.to_wallet IS 'Our wallet that received the coins; NULL for a foreign address.';
COMMENT ON COLUMN unexplained_moves.ordinal IS 'As deposits.ordinal, for the receiving wallet.';
COMMENT ON COLUMN unexplained_moves.deposit_id IS
  'Id of the deposit at the receiving wallet, which the import credits.';
COMMENT ON COLUMN unexplained_moves.first_imported_as IS
  'The first import, replaced when the provider named the real payment.';
COMMENT ON COLUMN unexplained_moves.given_back IS 'The movement that returned what the first import took.';

COMMENT ON TABLE forgotten_nonces IS
  'Nonces that the token used or cancelled and that this restored database does not know.';
COMMENT ON COLUMN forgotten_nonces.nonce IS 'Nonce of the EIP-3009 authorization.';
COMMENT ON COLUMN forgotten_nonces.kind IS 'used (the transfer took place) or canceled.';
COMMENT ON COLUMN forgotten_nonces.log_index IS 'Log of the transfer; NULL for a cancelled nonce.';

COMMENT ON TABLE drifts IS 'Differences between coins and books, and how many polls in a row found them.';
COMMENT ON COLUMN drifts.subject IS 'A wallet, or the ledger.';
COMMENT ON COLUMN drifts.difference IS 'Coins minus books, in millionths.';
COMMENT ON COLUMN drifts.looks IS 'Consecutive polls.';
COMMENT ON COLUMN drifts.since IS 'When it was first seen.';

COMMENT ON TABLE wallet_rescans IS 'Wallets whose past logs have to be read.';
COMMENT ON COLUMN wallet_rescans.next_block IS 'NULL: first the balance is compared.';
COMMENT ON COLUMN wallet_rescans.to_block IS 'The last block to read.';
COMMENT ON COLUMN wallet_rescans.unclear IS 'Coins from our own wallets that belong to no deposit.';
COMMENT ON COLUMN wallet_rescans.fault IS 'Why the last attempt failed.';

COMMENT ON TABLE ever_blacklisted IS 'Addresses that a token has ever blacklisted.';

COMMENT ON TABLE blacklist_reads IS 'How far the blacklist logs of a token were read.';
COMMENT ON COLUMN blacklist_reads.next_block IS 'The first final block that was not read.';
COMMENT ON COLUMN blacklist_reads.was_paused IS 'The token was paused before next_block.';
COMMENT ON COLUMN blacklist_reads.is_paused IS 'The token is paused at the newest block.';
COMMENT ON COLUMN blacklist_reads.read_at IS 'When ever_blacklisted was last complete; NULL: never.';

COMMENT ON TABLE node_faults IS 'Faults of blockchain nodes. A row that no worker confirmed for a minute is over.';
COMMENT ON COLUMN node_faults.host IS 'Host and port only; the rest of a URL may contain a key.';
COMMENT ON COLUMN node_faults.kind IS 'silent, behind, no state, or contradicts (the majority of nodes).';
COMMENT ON COLUMN node_faults.about IS 'Description for operators.';
COMMENT ON COLUMN node_faults.times IS 'How often it was seen.';
COMMENT ON COLUMN node_faults.since IS 'When it was first seen.';

COMMENT ON TABLE arrivals IS 'Decisions about transfers that a provider listed on unwatched chains.';
COMMENT ON COLUMN arrivals.to_address IS
  'The address looked up among our wallets; for an outgoing transfer the sender.';
COMMENT ON COLUMN arrivals.verdict IS
  'credited (a deposit), own (our move), other (another token or incomplete), unowned (no wallet of ours) or left (an '
  'outgoing transfer without a move).';

COMMENT ON TABLE arrival_cursors IS 'How far the provider''s list was read per unwatched chain.';
COMMENT ON COLUMN arrival_cursors.since IS 'Every transfer before this time is decided.';
COMMENT ON COLUMN arrival_cursors.page_after IS 'The last entry read of the current list.';
COMMENT ON COLUMN arrival_cursors.reached IS 'The newest time in it.';
COMMENT ON COLUMN arrival_cursors.back_since IS 'Start of the past period that is being read again; NULL otherwise.';
COMMENT ON COLUMN arrival_cursors.back_after IS 'While the past is read again: the last entry read.';

COMMENT ON TABLE open_arrivals IS 'Listed transfers that are not decided yet.';
COMMENT ON COLUMN open_arrivals.due_at IS 'When the provider is asked again.';
COMMENT ON COLUMN open_arrivals.record IS 'The provider''s data, if it is decided later; NULL: it is requested by id.';
COMMENT ON COLUMN open_arrivals.by_address IS 'An operator decided that it belongs to the wallet with its address.';

COMMENT ON TABLE book_audits IS 'State of the continuous audit; one row.';
COMMENT ON COLUMN book_audits.version IS 'Counts changes, so that only one of two concurrent audits is saved.';
COMMENT ON COLUMN book_audits.seed IS 'Secret of the hash.';
COMMENT ON COLUMN book_audits.seq_base IS
  'Copy of ledger_state.seq_base. If the two differ, the database was restored and the audit starts again.';
COMMENT ON COLUMN book_audits.tail_seq IS 'Movements up to this seq are in tail_sums.';
COMMENT ON COLUMN book_audits.tail_sums IS 'Per asset, the sum of a hash of all balances up to tail_seq.';
COMMENT ON COLUMN book_audits.compared_seq IS
  'The last movement when the sums were last compared with the balances of all accounts.';
COMMENT ON COLUMN book_audits.cycle_upto IS 'The current cycle reads all movements up to here again.';
COMMENT ON COLUMN book_audits.cycle_wanted IS 'The sums that it must reach.';
COMMENT ON COLUMN book_audits.cycle_seq IS 'The last movement that the current cycle has read; -1 before the first.';
COMMENT ON COLUMN book_audits.cycle_sums IS 'The sums that the current cycle has reached.';
COMMENT ON COLUMN book_audits.cycle_rows IS 'Movements read in the current cycle.';
COMMENT ON COLUMN book_audits.cycle_names IS
  'The last cycle failed; this one compares each movement to name the fault.';
COMMENT ON COLUMN book_audits.cycle_seconds IS 'Duration of the last complete cycle, in seconds.';
COMMENT ON COLUMN book_audits.rows_total IS 'Movements read in all cycles.';

COMMENT ON TABLE book_faults IS 'Current faults of the ledger.';
COMMENT ON COLUMN book_faults.subject IS 'An account, a movement, or sum or history of an asset.';
COMMENT ON COLUMN book_faults.fault IS 'Description for operators.';
COMMENT ON COLUMN book_faults.since IS 'When the audit found it.';
