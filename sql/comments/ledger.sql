-- The tables of the module `ledger` and those of their columns whose names do not say everything.

COMMENT ON TABLE networks IS 'Blockchains.';
COMMENT ON COLUMN networks.chain_id IS
  'NULL until a worker read it from the nodes; from then on only nodes with this id are used.';
COMMENT ON COLUMN networks.family IS 'Form of addresses: evm, solana or aptos.';
COMMENT ON COLUMN networks.wallet_provider IS 'Provider of the wallets that hold people''s coins on this network.';

COMMENT ON TABLE currencies IS 'Currencies that the ledger counts. A row never changes.';
COMMENT ON COLUMN currencies.currency IS 'For example USDC.';
COMMENT ON COLUMN currencies.decimals IS 'Decimal places of the tokens of this currency.';

COMMENT ON TABLE assets IS 'A token on a network.';
COMMENT ON COLUMN assets.symbol IS 'Its currency.';
COMMENT ON COLUMN assets.contract IS 'NULL until a worker read it; from then on only its logs count.';
COMMENT ON COLUMN assets.decimals IS 'Decimal places of the token, as those of its currency.';
COMMENT ON COLUMN assets.token_name IS 'Name in the token''s EIP-712 domain, read from the contract.';

COMMENT ON VIEW owner_wallets IS 'The wallet that holds an owner''s coins of an asset. The treasury has no user_id.';
COMMENT ON COLUMN owner_wallets.kind IS 'user or treasury.';

COMMENT ON TABLE tiers IS
  'Spending limits; amounts are in millionths (1 USDC is 1,000,000). NULL is no limit; payment_limit 0 means that '
  'people of the tier cannot pay.';
COMMENT ON COLUMN tiers.tier IS 'Number of the tier.';
COMMENT ON COLUMN tiers.currency IS 'Currency of the limits.';
COMMENT ON COLUMN tiers.payment_limit IS 'Per payment, in millionths.';
COMMENT ON COLUMN tiers.day_limit IS 'In 24 hours.';
COMMENT ON COLUMN tiers.month_limit IS 'In 30 days.';
COMMENT ON COLUMN tiers.day_payments IS 'Number of payments in 24 hours.';

COMMENT ON TABLE kyc_tiers IS
  'The tier of each status of the identity check, per currency. A change applies to everyone with that status, in the '
  'same commit.';
COMMENT ON COLUMN kyc_tiers.kyc_status IS 'As users.kyc_status.';
COMMENT ON COLUMN kyc_tiers.currency IS 'Currency of the accounts that get the tier.';
COMMENT ON COLUMN kyc_tiers.tier IS 'Tier of people with that status.';

COMMENT ON TABLE tier_changes IS 'Each change of a tier, written by a trigger.';
COMMENT ON COLUMN tier_changes.tier IS 'Number of the tier.';
COMMENT ON COLUMN tier_changes.before IS 'The row of tiers before the change; NULL for a new tier.';
COMMENT ON COLUMN tier_changes.after IS 'The row of tiers after the change.';

COMMENT ON TABLE kyc_tier_changes IS 'Each change of kyc_tiers, written by a trigger.';
COMMENT ON COLUMN kyc_tier_changes.kyc_status IS 'As users.kyc_status.';
COMMENT ON COLUMN kyc_tier_changes.before IS 'Tier before the change; NULL for a new status.';
COMMENT ON COLUMN kyc_tier_changes.after IS 'Tier after the change.';

COMMENT ON TABLE accounts IS
  'Balances per owner and asset. Only the accounts chain (coins outside) and loss may be negative.';
COMMENT ON COLUMN accounts.kind IS 'user, or an account of the service: treasury, fees, loss, chain.';
COMMENT ON COLUMN accounts.tier IS 'Follows from the identity check.';
COMMENT ON COLUMN accounts.passkey_above IS
  'Copy of users.passkey_above, which payments read together with the balance.';
COMMENT ON COLUMN accounts.paused IS 'The owner cannot pay. The reason is in pauses.';
COMMENT ON COLUMN accounts.available IS 'Balance that the owner can spend, in millionths.';
COMMENT ON COLUMN accounts.held IS 'Reserved for sends that have not ended, in millionths.';
COMMENT ON COLUMN accounts.entries IS
  'Number of rows of this account in transfers. It numbers them without gaps, under the lock of this row.';
COMMENT ON COLUMN accounts.hour IS
  'Hour of the last spending, in hours since 1970; it only grows. The counters of a person are in the account of the '
  'home asset, also for spending in other assets.';
COMMENT ON COLUMN accounts.hour_payments IS 'Payments in that hour.';
COMMENT ON COLUMN accounts.hour_spent IS 'Spent in that hour, in millionths.';
COMMENT ON COLUMN accounts.day_payments IS 'Payments in the 24 hours that end with that hour.';
COMMENT ON COLUMN accounts.day_spent IS 'Spent in the 24 hours that end with that hour, in millionths.';
COMMENT ON COLUMN accounts.month_spent IS 'Spent in the 30 days that end with that hour, in millionths.';
COMMENT ON COLUMN accounts.last_seq IS 'transfers.seq of the account''s row number last_entry.';
COMMENT ON COLUMN accounts.last_entry IS
  'The account''s last row while it equals entries; otherwise the next row names no previous one.';

COMMENT ON TABLE spendings IS 'Past hours of spending that still count for rolling limits.';
COMMENT ON COLUMN spendings.hour IS 'In hours since 1970.';
COMMENT ON COLUMN spendings.payments IS 'Payments in that hour.';
COMMENT ON COLUMN spendings.spent IS 'In millionths.';

COMMENT ON TABLE transfers IS
  'The ledger: each row moves one amount between two accounts. The row of a payment between people is the payment, '
  'its idempotency record and its event. Append-only.';
COMMENT ON COLUMN transfers.transfer_id IS 'For a payment with an idempotency key, derived from the key.';
COMMENT ON COLUMN transfers.seq IS
  'Position in the feed: transaction id × 65,536 + place in the transaction + ledger_state.seq_base. Rows below '
  'ledger_settled_seq() are complete.';
COMMENT ON COLUMN transfers.debit_account IS 'The account that the amount leaves.';
COMMENT ON COLUMN transfers.credit_account IS 'The account that gets the amount.';
COMMENT ON COLUMN transfers.debit_entry IS 'Number of the row in the history of the debit account.';
COMMENT ON COLUMN transfers.credit_entry IS
  'Number of the row in the history of the credit account; NULL if the row does not change it.';
COMMENT ON COLUMN transfers.debit_available IS 'Available balance of the debit account after the row.';
COMMENT ON COLUMN transfers.credit_available IS 'Available balance of the credit account after the row.';
COMMENT ON COLUMN transfers.debit_held IS 'Held amount after the row, if the row changed it.';
COMMENT ON COLUMN transfers.kind IS
  'user, deposit, internal, hold, post (a hold was paid) or release (a hold returned).';
COMMENT ON COLUMN transfers.hold_id IS 'The hold that a post or release ends.';
COMMENT ON COLUMN transfers.from_name IS 'Sender''s username at the time; for a deposit the sending address.';
COMMENT ON COLUMN transfers.to_name IS 'Receiver''s username at the time.';
COMMENT ON COLUMN transfers.typed_name IS 'The receiver''s former name, if the sender used it.';
COMMENT ON COLUMN transfers.debit_prev IS 'seq of the previous row of the debit account; NULL if an index finds it.';
COMMENT ON COLUMN transfers.credit_prev IS 'seq of the previous row of the credit account; NULL if an index finds it.';

COMMENT ON TABLE ledger_state IS 'Counters of the ledger; one row.';
COMMENT ON COLUMN ledger_state.home_asset IS 'The asset of payments between people; NULL until a server started.';
COMMENT ON COLUMN ledger_state.names_epoch IS 'Counts changes of usernames.';
COMMENT ON COLUMN ledger_state.sessions_epoch IS
  'Counts ended sessions and access tokens. A payment compares it, so an ended session cannot pay.';
COMMENT ON COLUMN ledger_state.seq_base IS 'Added to transfers.seq; raised after a logical restore.';
COMMENT ON COLUMN ledger_state.names_random IS
  'Random part of the names epoch; after lost commits the same counter has another one.';
COMMENT ON COLUMN ledger_state.sessions_random IS 'Random part of the sessions epoch.';
COMMENT ON COLUMN ledger_state.names_changed IS 'The last names epoch that made resolved names wrong.';

COMMENT ON TABLE epochs IS
  'The last 10,000 epochs of each kind. A remembered epoch that is missing here was lost with its commits.';
COMMENT ON COLUMN epochs.kind IS 'names or sessions.';
COMMENT ON COLUMN epochs.counter IS 'Value of the counter in ledger_state.';
COMMENT ON COLUMN epochs.random IS 'Random part of the epoch.';

COMMENT ON TABLE debts IS 'Amounts that owners owe the service, because the chain paid more for them than they had.';
COMMENT ON COLUMN debts.payment_id IS 'The imported payment.';
COMMENT ON COLUMN debts.collected IS 'Part that was already collected, in millionths.';
COMMENT ON COLUMN debts.owed_since IS 'When the import created the debt.';

COMMENT ON TABLE corrections IS 'Differences booked to the account loss: one operator proposes, another approves.';
COMMENT ON COLUMN corrections.wallet_id IS
  'The owner of this wallet gets or gives the amount. NULL: the correction changes the amount that the ledger '
  'expects on the chain.';
COMMENT ON COLUMN corrections.amount IS 'Positive: the owner gets it, or the chain has it. Negative: the reverse.';
