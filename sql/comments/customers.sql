-- The tables of the module `customers` and those of their columns whose names do not say everything.

COMMENT ON TABLE users IS
  'People. The identity of a person is (issuer, subject), never the e-mail address, which can change.';
COMMENT ON COLUMN users.issuer IS 'Our name of the OpenID issuer. It stays when the issuer''s URL changes.';
COMMENT ON COLUMN users.subject IS 'Id of the person at the issuer.';
COMMENT ON COLUMN users.email IS 'Lower case. Several people may have the same address at different issuers.';
COMMENT ON COLUMN users.email_verified IS 'The issuer has verified the address.';
COMMENT ON COLUMN users.kyc_status IS
  'Result of the identity check; decides the tier through kyc_tiers. The facts behind it are in kyc_checks.';
COMMENT ON COLUMN users.discoverable IS 'The person lets strangers find their name. A closed account is not found.';
COMMENT ON TABLE public_names IS
  'Current usernames of people who let strangers find them. Public pages read only this table.';
COMMENT ON COLUMN public_names.username IS 'As in usernames.';
COMMENT ON COLUMN users.closed_at IS
  'Set when the person closed the account. A closed account has no sessions and no username; its books stay.';

COMMENT ON TABLE wallet_providers IS 'Providers of wallets. The signer registers those of its build; a row never changes.';
COMMENT ON COLUMN wallet_providers.provider IS 'As wallets.provider names it, for example circle_send.';
COMMENT ON COLUMN wallet_providers.rail IS
  'eip3009: wallets sign and relayers broadcast. provider: the provider sends by itself.';

COMMENT ON TABLE wallet_seeds IS
  'The key material and wallet provider of this database. A process with another seed refuses to start.';
COMMENT ON COLUMN wallet_seeds.fingerprint IS 'Identifies the seed without revealing it.';
COMMENT ON COLUMN wallet_seeds.wallet_provider IS
  'Provider of the wallets of people and of the treasury: local (own seed), circle (Circle signs) or circle_send '
  '(Circle sends).';
COMMENT ON COLUMN wallet_seeds.accounts IS
  'By provider, the account there that contains all our wallets, for example the wallet set at Circle.';
COMMENT ON COLUMN wallet_seeds.network_wallets IS
  'Networks whose wallets are at another provider, for example {"BASE": "circle_send"}.';

COMMENT ON TABLE wallets IS
  'Wallets of people and of the treasury. One is current per owner, provider and address family; replaced wallets '
  'stay, because coins can still arrive there.';
COMMENT ON COLUMN wallets.kind IS 'user or treasury.';
COMMENT ON COLUMN wallets.provider IS 'Holder of the key; local means our own seed.';
COMMENT ON COLUMN wallets.family IS 'Form of the address. A wallet has the same address on all networks of a family.';
COMMENT ON COLUMN wallets.reference IS
  'Identifies the key at the provider. For local wallets, the derivation path.';
COMMENT ON COLUMN wallets.replaced_at IS 'When a newer wallet took its place; NULL for the current wallet.';

COMMENT ON TABLE username_skeletons IS
  'Look-alike forms of usernames. A skeleton belongs to one person, so no two people have names that look alike. Rows '
  'without a person are reserved words.';
COMMENT ON COLUMN username_skeletons.skeleton IS 'Computed by username_skeleton.';

COMMENT ON TABLE usernames IS 'Current and former usernames.';
COMMENT ON COLUMN usernames.username IS 'Lower case.';
COMMENT ON COLUMN usernames.skeleton IS 'The look-alike form (username_skeleton).';
COMMENT ON COLUMN usernames.redirect_until IS
  'NULL for the current name. Until this time a former name still leads to its owner, and no one else can take it.';

COMMENT ON TABLE username_changes IS 'Each change of a username. The cooldown starts at the last one.';
COMMENT ON COLUMN username_changes.username IS 'The new name.';
COMMENT ON COLUMN username_changes.previous IS 'The name before; NULL for the first.';

COMMENT ON TABLE sessions IS 'Logins. A session has one refresh token at a time and short-lived access tokens.';
COMMENT ON COLUMN sessions.user_agent IS 'User-Agent header of the login.';
COMMENT ON COLUMN sessions.expires_at IS 'Each refresh extends it.';
COMMENT ON COLUMN sessions.ended_because IS
  'revoked (by the person, by an operator, or because the account was closed), reused (a spent refresh token came '
  'back) or replaced (more than 50 open sessions).';
COMMENT ON COLUMN sessions.changed_epoch IS
  'The last sessions epoch (ledger_state.sessions_epoch) in which the session or one of its access tokens ended '
  'early.';

COMMENT ON TABLE session_tokens IS 'SHA-256 hashes of the tokens of sessions.';
COMMENT ON COLUMN session_tokens.hash IS 'SHA-256 of the token.';
COMMENT ON COLUMN session_tokens.kind IS 'access or refresh.';
COMMENT ON COLUMN session_tokens.generation IS 'Counts the refreshes of the session.';
COMMENT ON COLUMN session_tokens.spent_at IS 'When a refresh token was exchanged.';
COMMENT ON COLUMN session_tokens.spent_under IS 'Hash of the Idempotency-Key of that exchange.';
COMMENT ON COLUMN session_tokens.used_at IS
  'First use of an access token. From then on the refresh that issued it cannot be repeated.';
COMMENT ON COLUMN session_tokens.replaced IS
  'The refresh was repeated and another token was issued. Use of this one proves that two parties hold the session.';

COMMENT ON TABLE spent_id_tokens IS
  'Hashes of ID tokens and of logins of the web wallet that were used, kept until they expire.';
COMMENT ON COLUMN spent_id_tokens.hash IS
  'SHA-256 of the token without its signature, or of the state of the login.';

COMMENT ON TABLE login_secrets IS
  'Secrets that authenticate logins begun in the web wallet. A secret is used for one day.';
COMMENT ON COLUMN login_secrets.secret IS 'Key of HMAC-SHA256.';

COMMENT ON TABLE kyc_checks IS 'Facts behind users.kyc_status.';
COMMENT ON COLUMN kyc_checks.applicant_id IS
  'Id of the person at the provider; NULL after the provider deleted the applicant.';
COMMENT ON COLUMN kyc_checks.level IS 'The level of the check. Passing another level is not an approval.';
COMMENT ON COLUMN kyc_checks.can_retry IS 'The provider lets the person submit documents again.';
COMMENT ON COLUMN kyc_checks.reasons IS 'Sentences about a rejection that may be shown to the person.';
COMMENT ON COLUMN kyc_checks.was_approved IS
  'The person was approved before; if not approved now, the status is revoked.';
COMMENT ON COLUMN kyc_checks.asked IS 'Number of the last request to the provider.';
COMMENT ON COLUMN kyc_checks.answered IS
  'Number of the last answered request. An answer to an earlier request changes nothing.';
COMMENT ON COLUMN kyc_checks.stale IS 'The last request got no answer.';

COMMENT ON TABLE service_keys IS 'API keys of other services and of accounts; only the SHA-256 hash of a key is stored.';
COMMENT ON COLUMN service_keys.hash IS 'SHA-256 of the key.';
COMMENT ON COLUMN service_keys.scopes IS 'Groups of calls that the key may make.';
COMMENT ON COLUMN service_keys.user_id IS 'The person whose account it acts for; NULL for a key of a service.';
COMMENT ON COLUMN service_keys.last_used_at IS 'Accurate to the minute.';

COMMENT ON TABLE key_rules IS
  'The permissions of a service key. A key without a row was created by release 0.2.0 and has no limits.';
COMMENT ON COLUMN key_rules.certificate IS 'SHA-256 of the client certificate that the key requires; NULL for none.';
COMMENT ON COLUMN key_rules.any_person IS
  'The key may spend the money of every person; otherwise only of those in key_payers.';
COMMENT ON COLUMN key_rules.any_destination IS
  'The key may send to every address; otherwise only to those in key_destinations.';
COMMENT ON COLUMN key_rules.blockchains IS 'NULL for all.';
COMMENT ON COLUMN key_rules.client_ranges IS 'Networks from which the key works; NULL for all.';

COMMENT ON TABLE key_payers IS 'People or wallets whose money a key may spend.';

COMMENT ON TABLE key_destinations IS 'Ranges of addresses that a key may send to. A single address is first and last.';
COMMENT ON COLUMN key_destinations.first_address IS 'Lower case.';
COMMENT ON COLUMN key_destinations.last_address IS 'Lower case. Included in the range.';

COMMENT ON TABLE key_budgets IS
  'Spending limits of a key in rolling windows of whole hours, apart for people''s money and the treasury''s.';
COMMENT ON COLUMN key_budgets.pays IS 'Whose money is spent: people or treasury.';
COMMENT ON COLUMN key_budgets.allowed IS 'The key may spend this money at all.';
COMMENT ON COLUMN key_budgets.payment_limit IS 'Per payment, in millionths; NULL for no limit.';
COMMENT ON COLUMN key_budgets.day_limit IS 'In 24 hours, in millionths; NULL for no limit.';
COMMENT ON COLUMN key_budgets.month_limit IS 'In 30 days, in millionths; NULL for no limit.';
COMMENT ON COLUMN key_budgets.counted_since IS
  'Spending is counted from then on; NULL while there is no limit per day or month.';
COMMENT ON COLUMN key_budgets.hour IS 'Hour of the last spending, in hours since 1970.';
COMMENT ON COLUMN key_budgets.hour_spent IS 'Spent in that hour.';
COMMENT ON COLUMN key_budgets.day_spent IS
  'Spent in the hours of the day before that hour; the hours are rows of key_spendings.';
COMMENT ON COLUMN key_budgets.month_spent IS 'Spent in the hours of the month before that hour.';

COMMENT ON TABLE key_spendings IS 'Spending of a key per hour, for the rolling windows.';
COMMENT ON COLUMN key_spendings.pays IS 'The budget, as in key_budgets.';
COMMENT ON COLUMN key_spendings.hour IS 'In hours since 1970.';
COMMENT ON COLUMN key_spendings.spent IS 'In millionths.';

COMMENT ON TABLE key_refunds IS
  'Amounts that return to a key''s budget because a payment ended unpaid. The next payment of the key applies them.';
COMMENT ON COLUMN key_refunds.pays IS 'The budget, as in key_budgets.';
COMMENT ON COLUMN key_refunds.hour IS 'Hour in which it was spent, in hours since 1970.';

COMMENT ON TABLE key_changes IS 'Each change of a key''s rules. Append-only.';
COMMENT ON COLUMN key_changes.before IS 'Rules before the change; NULL for a new key.';
COMMENT ON COLUMN key_changes.after IS 'Rules after the change.';
COMMENT ON COLUMN key_changes.changed_by IS 'The database login.';

COMMENT ON TABLE rate_windows IS 'Used parts of rate limits, shared by all processes. Unlogged: empty after a crash.';
COMMENT ON COLUMN rate_windows.bucket IS 'Name of the limit and its subject, for example an address.';
COMMENT ON COLUMN rate_windows.ends_at IS 'When the window ends and counting starts again.';
COMMENT ON COLUMN rate_windows.taken IS
  'Requests that processes have taken from the window''s quota; they may not have made all of them yet.';

COMMENT ON COLUMN users.passkey_above IS
  'Payments of more than this need a passkey, in every currency; NULL: none does. Copied to the accounts.';
COMMENT ON TABLE passkeys IS 'Passkeys of people, with which they agree to payments and to changes of these rules.';
COMMENT ON COLUMN passkeys.credential IS 'Id that the authenticator gave it.';
COMMENT ON COLUMN passkeys.public_key IS 'In COSE form.';
COMMENT ON COLUMN passkeys.rp_hash IS 'SHA-256 of the wallet''s host name, to which the passkey belongs.';
COMMENT ON COLUMN passkeys.transports IS 'How a browser reaches it, for example internal or usb. Only a hint.';
COMMENT ON COLUMN passkeys.counter IS 'Number of signatures as the passkey counts them; 0 if it does not.';
COMMENT ON COLUMN passkeys.backed_up IS 'It is copied to other devices of the person.';
COMMENT ON TABLE passkey_challenges IS 'What people were asked to agree to with a passkey, and whether they did.';
COMMENT ON COLUMN passkey_challenges.challenge IS 'Drawn by PostgreSQL; the passkey signs it.';
COMMENT ON COLUMN passkey_challenges.deed IS 'What a proof allows, exactly; see ask_for_passkey.';
COMMENT ON COLUMN passkey_challenges.proved_at IS 'When a passkey signed it.';
COMMENT ON COLUMN passkey_challenges.used_at IS
  'When the deed was done. Payments are not marked: their id allows only one.';
COMMENT ON TABLE passkey_removals IS
  'Lost passkeys that an operator is removing; the person can object, and another operator finishes it.';
COMMENT ON COLUMN passkey_removals.due_at IS 'From then on it can be finished.';
