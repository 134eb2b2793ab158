-- The tables of the module `operators` and those of their columns whose names do not say everything.

COMMENT ON TABLE operators IS
  'Operators and their roles. While no named admin has a login, every operator login may use all commands.';
COMMENT ON COLUMN operators.role IS 'admin, risk or support.';

COMMENT ON TABLE operator_identities IS 'The roster of the operator console: who logs in as which operator.';
COMMENT ON COLUMN operator_identities.issuer IS 'The OpenID issuer, as in users.';
COMMENT ON COLUMN operator_identities.subject IS 'The id of the operator at that issuer.';
COMMENT ON COLUMN operator_identities.name IS 'The operator, by database login.';

COMMENT ON TABLE audit_log IS
  'Actions of people, operators, keys and the service. Append-only, without e-mail addresses and tokens.';
COMMENT ON COLUMN audit_log.actor IS 'user:<id>, operator:<name>, provider:<name>, service:<name> or key:<id>.';
COMMENT ON COLUMN audit_log.action IS 'For example session.replaced.';
COMMENT ON COLUMN audit_log.details IS 'Facts of the action, without personal data.';

COMMENT ON TABLE pauses IS 'Pauses of payments and their reasons, for operators. Each cause ends separately. Customers read pause_words.';
COMMENT ON COLUMN pauses.scope IS
  'all, user (payments between people), chain (sends), chain:<blockchain> or user:<id>.';
COMMENT ON COLUMN pauses.cause IS
  'operator, closed (the account was closed) or the automatic check that paused a chain.';
COMMENT ON COLUMN pauses.stops IS 'accepting: no new payments. accepting and signing: nothing is signed either.';

COMMENT ON TABLE restores IS
  'Times when this database was found to be a restored copy. Older credentials need a confirmation.';

COMMENT ON TABLE database_identity IS
  'The cluster and database in which these tables were last found. A restored copy still has the values of its '
  'original, which shows that it is a copy.';
COMMENT ON COLUMN database_identity.system_identifier IS 'Identifier of the PostgreSQL cluster (pg_control_system).';
COMMENT ON COLUMN database_identity.database_oid IS 'OID of the database in the cluster.';

COMMENT ON TABLE retention IS 'Progress of deleting old rows.';
COMMENT ON COLUMN retention.what IS 'The kind of rows that are deleted.';
COMMENT ON COLUMN retention.next_page IS 'The page of the table where the next pass starts.';
COMMENT ON COLUMN retention.forgotten IS 'Number of deleted rows.';

COMMENT ON VIEW closed_accounts_with_money IS 'Money that arrived on closed accounts and waits for an operator.';
COMMENT ON COLUMN closed_accounts_with_money.available IS 'In millionths.';
COMMENT ON COLUMN closed_accounts_with_money.held IS 'In millionths.';
