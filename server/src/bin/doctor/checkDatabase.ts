import { findMigrationFaults, findRoleFaults } from '../../db/checkDatabase.ts';
import { type Db, openDatabase } from '../../db/database.ts';
import { findLosses, readDurability } from '../../db/durability.ts';
import { listPauses, type Pause } from '../../operators/pauses.ts';
import { describeOutage } from './describeOutage.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const OLDEST = 15;
const CLOCK_WARNING_MS = 2_000;
const CLOCK_FAULT_MS = 30_000;

interface DatabaseQuestion {
  readonly url: string;
  readonly mode: 'production' | 'sandbox';
  readonly role: 'server' | 'worker' | 'signer' | 'console' | 'operator';
  /** `server` may also be a worker. */
  readonly isGuessed: boolean;
}

/** Checks whether the database can be reached and entered, whether it fits this build, and its clock. */
export async function checkDatabase(
  { url, ...question }: DatabaseQuestion,
  more: (db: Db) => Promise<Finding[]>,
): Promise<Finding[]> {
  const db = openDatabase(url, { maxConnections: 1, applicationName: 'florin-doctor', mayBeStandby: true });
  try {
    const findings = await inspect(db, question);
    return findings.some(({ level }) => level === 'fault') ? findings : [...findings, ...(await more(db))];
  } catch (error) {
    const outage = describeOutage(error, url);
    if (!outage) throw error;
    return [fault('database', outage.says, outage.fix)];
  } finally {
    await db.close();
  }
}

async function inspect(db: Db, { mode, role, isGuessed }: Omit<DatabaseQuestion, 'url'>): Promise<Finding[]> {
  const [row] = await db.query<{
    major: number;
    login: string;
    database: string;
    is_standby: boolean;
    tls: string | null;
  }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS major, session_user::text AS login,
            current_database()::text AS database, pg_is_in_recovery() AS is_standby,
            (SELECT s.version FROM pg_stat_ssl s WHERE s.pid = pg_backend_pid() AND s.ssl) AS tls`,
  );
  const { major, login, database, is_standby: isStandby, tls } = row!;
  const findings: Finding[] = [
    ok('database', `PostgreSQL ${major}, database ${database}, login ${login}, ${tls ?? 'without TLS'}`),
  ];
  if (major < OLDEST)
    findings.push(fault('database', `PostgreSQL ${major} is too old`, `move to PostgreSQL ${OLDEST} or newer`));
  if (isStandby)
    findings.push(fault('database', 'it is a standby, which is read-only', 'name the primary in DATABASE_URL'));
  findings.push(...(await findMigrationFaults(db)).map((says) => fault('database', ...split(says))));
  const isMigrated = findings.every(({ level }) => level !== 'fault');
  if (isMigrated && mode === 'production')
    findings.push(
      ...(await findRights(db, role, isGuessed)).map((says) =>
        // An operator may have more privileges than operators need; a process may not.
        role === 'operator' ? warning('database', ...split(says)) : fault('database', ...split(says)),
      ),
    );
  if (mode === 'production')
    findings.push(...findLosses(await readDurability(db)).map((says) => warning('database', ...split(says))));
  findings.push(describeClock(await readClock(db)));
  return findings;
}

async function findRights(db: Db, role: DatabaseQuestion['role'], isGuessed: boolean): Promise<string[]> {
  const faults = await findRoleFaults(db, role);
  const isWorker = isGuessed && role === 'server' && (await findRoleFaults(db, 'worker')).length === 0;
  return isWorker ? [] : faults;
}

/** How far the database's clock is ahead of ours. The connection is opened first, so that only the query takes time. */
async function readClock(db: Db): Promise<number> {
  const before = Date.now();
  const [row] = await db.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return row!.now.getTime() - (before + Date.now()) / 2;
}

function describeClock(aheadMs: number): Finding {
  const offMs = Math.abs(aheadMs);
  const says = `this machine's clock and the database's differ by ${(offMs / 1000).toFixed(1)} s`;
  const fix = 'synchronize both machines with NTP: timedatectl set-ntp true';
  if (offMs > CLOCK_FAULT_MS) return fault('clocks', says, fix);
  return offMs > CLOCK_WARNING_MS ? warning('clocks', says, fix) : ok('clocks', says);
}

/** Our own messages end with the fix, after a colon. */
function split(says: string): [string, string] {
  const at = says.lastIndexOf(': ');
  return at < 0 ? [says, 'docs/operating/database-roles.md'] : [says.slice(0, at), says.slice(at + 2)];
}

/** Everything that pauses payments now. */
export const checkPauses = async (db: Db): Promise<Finding[]> => {
  const pauses = (await listPauses(db)).filter(({ scope }) => !scope.startsWith('user:'));
  if (pauses.length === 0) return [ok('payments', 'nothing is paused')];
  return pauses.map((one) =>
    warning('payments', `${one.scope} is paused (${one.cause}): ${one.reason}`, describePauseEnd(one)),
  );
};

/** What ends a pause. Only the cause decides whether that is safe, so its check comes first. */
export function describePauseEnd({ scope, cause }: Pick<Pause, 'scope' | 'cause'>): string {
  const remove = `florin pause remove ${scope}`;
  switch (cause) {
    case 'operator':
      return remove;
    case 'gas':
      return `florin relayer fund-address ${scope.replace('chain:', '')}; the pause ends automatically once a relayer works`;
    case 'unexplained':
      return `florin books check; then florin payment import, which ends this pause (${PAUSES})`;
    case 'drift':
      return `florin reconcile; when nothing is missing any more: ${remove} --cause drift (${PAUSES})`;
    case 'audit':
      return `florin books audit; when it finds no fault any more: ${remove} --cause audit (docs/operating/alerts/FlorinAuditFault.md)`;
    default:
      return `when the cause is gone (${PAUSES}): ${remove} --cause ${cause}`;
  }
}

const PAUSES = 'docs/custody.md#why-sends-pause';
