import pg from 'pg';
import { listHosts } from './hosts.ts';

const IMPOSTOR = 'anyone on the network could pretend to be the database: use sslmode=verify-full';

/** The driver's result for a connection string, its own defaults and its environment variables. */
interface Resolved {
  readonly host: string;
  readonly ssl: unknown;
}

/**
 * Returns the reasons why a connection to this database would not be encrypted and verified. It asks the driver instead
 * of parsing the text: the driver uses the last of repeated settings, has several settings that disable verification,
 * and uses no TLS by default. A Unix socket or a loopback address needs no TLS. `verifiesNothing`: Node runs with
 * verification disabled for the whole process.
 */
export function findDatabaseTlsFaults(
  databaseUrl: string,
  isLoopback: (host: string) => boolean,
  verifiesNothing: boolean,
): string[] {
  return listHosts(databaseUrl).flatMap((one) => findFaults(one, isLoopback, verifiesNothing));
}

function findFaults(
  connectionString: string,
  isLoopback: (host: string) => boolean,
  verifiesNothing: boolean,
): string[] {
  let resolved: Resolved;
  try {
    resolved = new pg.Client({ connectionString }) as unknown as Resolved;
  } catch (error) {
    return [`cannot be used (${(error as NodeJS.ErrnoException).code ?? 'the driver refuses it'})`];
  }
  const { host, ssl } = resolved;
  if (host.startsWith('/') || isLoopback(host)) return [];
  if (ssl === false || ssl === undefined) return [`connects to ${host} without TLS: ${IMPOSTOR}`];
  if (verifiesNothing)
    return [`connects to ${host} with NODE_TLS_REJECT_UNAUTHORIZED=0, which verifies nothing: ${IMPOSTOR}`];
  if (ssl === true) return [];
  if (typeof ssl !== 'object') return [`has an ssl setting that the driver does not support: ${IMPOSTOR}`];
  const { rejectUnauthorized, checkServerIdentity } = ssl as {
    rejectUnauthorized?: boolean;
    checkServerIdentity?: unknown;
  };
  if (rejectUnauthorized === false) return [`does not verify the certificate of ${host}: ${IMPOSTOR}`];
  if (checkServerIdentity !== undefined) return [`does not compare the certificate with the name ${host}: ${IMPOSTOR}`];
  return [];
}
