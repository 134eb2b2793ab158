-- What only processes of the previous release need. Applied after `privileges.sql` to a database that was migrated by that
-- release, until `florin migrate --finish` says that none of them is left. Emptied with every release.

-- Servers and workers of 0.2.0 have the seed: they make wallets, and the worker signs by itself. What they add so is good
-- for nothing with keys that are not ours: the signer of this release signs for no wallet that its own keys do not make.
GRANT INSERT ON wallets, wallet_seeds TO {server}, {worker};
GRANT INSERT, UPDATE ON carrier_attempts TO {worker};
GRANT INSERT ON signatures, cancellations TO {worker};
GRANT EXECUTE ON FUNCTION record_signatures, ledger_move TO {worker};
-- Its command `keys`. Who may use it is decided by `guard_key`.
GRANT INSERT ON service_keys TO {operator};
GRANT UPDATE (revoked_at) ON service_keys TO {operator};
-- What its processes accept and approve with. `accept_send` knows no service keys: until the upgrade is finished, their
-- servers alone decide who may spend the treasury.
GRANT EXECUTE ON FUNCTION accept_send, ledger_pay_users TO {server};
GRANT EXECUTE ON FUNCTION approve_payment, schedule_job TO {operator};
GRANT INSERT ON jobs TO {operator};
