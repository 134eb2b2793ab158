import { listHosts } from '../../db/hosts.ts';
import { type Finding, warning } from './finding.ts';

const PAGE = 'docs/operating/high-availability.md#getting-a-good-patroni';
/** Older ones write the leader's lease in etcd without checking that it is still theirs. */
const OLDEST = { major: 3, minor: 1 };
const TIMEOUT_MS = 1_000;

/**
 * Asks the REST API of Patroni on the hosts of the database, if there is one, for its version. A host without an answer
 * is not a finding: it may be a managed database.
 */
export async function checkPatroni(databaseUrl: string, port = 8008): Promise<Finding[]> {
  const hosts = listHosts(databaseUrl).map((url) => new URL(url).hostname);
  const versions = await Promise.all(hosts.map((host) => readVersion(host, port)));
  return hosts.flatMap((host, i) => {
    const version = versions[i];
    if (!version || !canLeaveTwoPrimaries(version)) return [];
    return [
      warning(
        'database',
        `Patroni ${version} on ${host} can leave two primaries: acknowledged payments are lost`,
        PAGE,
      ),
    ];
  });
}

export function canLeaveTwoPrimaries(version: string): boolean {
  const [major, minor] = version.split('.').map(Number) as [number, number?];
  return major < OLDEST.major || (major === OLDEST.major && (minor ?? 0) < OLDEST.minor);
}

async function readVersion(host: string, port: number): Promise<string | undefined> {
  try {
    const answer = await fetch(`http://${host}:${port}/patroni`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const { patroni } = (await answer.json()) as { patroni?: { version?: unknown } };
    return typeof patroni?.version === 'string' ? /^\d+(\.\d+)*/.exec(patroni.version)?.[0] : undefined;
  } catch {
    return undefined;
  }
}
