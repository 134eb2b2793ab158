import { isOutage } from '../../db/database.ts';
import { listHosts } from '../../db/hosts.ts';
import { describeError } from './finding.ts';

interface Outage {
  readonly says: string;
  readonly fix: string;
  /** Waiting does not help: someone has to change something. */
  readonly isLasting: boolean;
}

const ROLES = 'docs/operating/database-roles.md';

/** Why this database cannot be reached or entered; undefined for any other error. Never shows the password. */
export function describeOutage(error: unknown, url: string): Outage | undefined {
  const cause = findCause(error);
  if (!cause) return undefined;
  const hosts = listHosts(url).map((one) => new URL(one));
  const { hostname, pathname, username } = hosts[0]!;
  const where = hosts.map((one) => `${one.hostname || 'this machine'}:${one.port || 5432}`).join(', ');
  const name = decodeURIComponent(pathname.slice(1));
  const login = decodeURIComponent(username);
  const text = describeError(cause);
  const code = (cause as { code?: string }).code ?? '';
  const lasting = (says: string, fix: string): Outage => ({ says, fix, isLasting: true });
  if (code === '28P01')
    return lasting(
      `the database at ${where} refuses the password of ${login}`,
      `correct it in DATABASE_URL, or set a new one as an administrator: ALTER ROLE "${login}" PASSWORD '…'`,
    );
  if (code.startsWith('28'))
    return lasting(
      `the database at ${where} refuses the login ${login}: ${text}`,
      `create the login, or allow it (${ROLES})`,
    );
  if (code === '3D000')
    return lasting(
      `there is no database ${name} at ${where}`,
      `as an administrator: CREATE DATABASE "${name}"; then florin migrate`,
    );
  if (code === '08P01')
    return lasting(
      `a connection pooler at ${where} refuses Florin's connections: ${text}`,
      'configure it as described in docs/operating/pooler.md, with PgBouncer 1.21 or newer',
    );
  if (isTls(cause))
    return lasting(
      `no secure connection to the database at ${where}: ${text}`,
      'set sslmode=verify-full in DATABASE_URL, and NODE_EXTRA_CA_CERTS to the authority of its certificate',
    );
  if (hosts.length > 1)
    return {
      says: `none of the databases at ${where} accepts writes: ${text}`,
      fix: 'check the cluster (patronictl list): it has no primary, or the primary cannot be reached from here',
      isLasting: false,
    };
  // While containers start together, the name of one that does not run yet is unknown.
  const isNameless = code === 'ENOTFOUND' || code === 'EAI_AGAIN';
  return {
    says: isNameless ? `the host ${hostname} does not exist` : `the database at ${where} does not answer: ${text}`,
    fix: 'start PostgreSQL there, or correct host and port in DATABASE_URL',
    isLasting: false,
  };
}

/** The driver's own error, below ours. */
function findCause(error: unknown): Error | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (isOutage(one) || isTls(one) || one instanceof AggregateError) return one;
  }
  return undefined;
}

/** A fault of the certificate, or no TLS at all; node-postgres reports the latter without a code. */
const isTls = (error: Error): boolean =>
  TLS_CODES.test((error as NodeJS.ErrnoException).code ?? '') || /does not support SSL connections/.test(error.message);

const TLS_CODES = /^(SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|CERT_|ERR_TLS|EPROTO|ERR_SSL)/;
