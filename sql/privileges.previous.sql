-- Privileges that only processes of the previous release need. Applied after `privileges.sql` to a database that was
-- migrated by that release, until `florin migrate --finish` confirms that none of them is left. Emptied with every
-- release.

-- Servers and workers of 0.2.0 have the seed: they create wallets, and the worker signs. A wallet that they add with
-- other keys is useless, because the signer of this release signs only for wallets that its own keys derive.
GRANT INSERT ON wallets, wallet_seeds TO {server}, {worker};
GRANT INSERT, UPDATE ON carrier_attempts TO {worker};
GRANT INSERT ON signatures, cancellations TO {worker};
GRANT EXECUTE ON FUNCTION record_signatures, ledger_move TO {worker};
-- For its `keys` command. `guard_key` decides who may use it.
GRANT INSERT ON service_keys TO {operator};
GRANT UPDATE (revoked_at) ON service_keys TO {operator};
-- Functions with which its processes accept and approve. `accept_send` does not know service keys: until the upgrade is
-- finished, the servers of 0.2.0 alone decide who may spend the treasury.
GRANT EXECUTE ON FUNCTION accept_send, ledger_pay_users TO {server};
GRANT EXECUTE ON FUNCTION ledger_open_asset TO {server}, {worker}, {operator};
GRANT EXECUTE ON FUNCTION approve_payment, schedule_job TO {operator};
GRANT INSERT ON jobs TO {operator};
