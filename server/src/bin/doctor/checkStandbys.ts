import { openDatabase } from '../../db/database.ts';
import { describeStanding, openReads } from '../../db/standbys/openReads.ts';
import { type Finding, ok, warning } from './finding.ts';

/** The hosts of FLORIN_DATABASE_READ_URL. Their faults are warnings, because the primary can answer everything. */
export async function checkStandbys(databaseUrl: string, readUrl: string): Promise<Finding[]> {
  const db = openDatabase(databaseUrl, { maxConnections: 1 });
  const reads = openReads({ databaseUrl, readUrl, db });
  try {
    return (await reads.inspect()).map((seen) => {
      const says = describeStanding(seen);
      if (says === undefined)
        return ok('database', `${seen.host} is ${seen.standing === 'primary' ? 'the primary' : 'a usable standby'}`);
      const at = says.lastIndexOf(': ');
      return warning('database', says.slice(0, at), says.slice(at + 2));
    });
  } catch {
    // The primary does not answer, which another check reports.
    return [];
  } finally {
    await reads.close();
    await db.close();
  }
}
