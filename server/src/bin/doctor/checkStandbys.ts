import { openDatabase } from '../../db/database.ts';
import { describeStanding, openReads } from '../../db/standbys/openReads.ts';
import { type Finding, ok, warning } from './finding.ts';

/** The hosts of FLORIN_DATABASE_READ_URL. Whatever is wrong with them, the primary answers. */
export async function checkStandbys(databaseUrl: string, readUrl: string): Promise<Finding[]> {
  const db = openDatabase(databaseUrl, { maxConnections: 1 });
  const reads = openReads({ databaseUrl, readUrl, db });
  try {
    return (await reads.look()).map((seen) => {
      const says = describeStanding(seen);
      if (says === undefined)
        return ok(
          'database',
          `${seen.host} is ${seen.standing === 'primary' ? 'the primary' : 'a standby to read at'}`,
        );
      const at = says.lastIndexOf(': ');
      return warning('database', says.slice(0, at), says.slice(at + 2));
    });
  } catch {
    // The primary does not answer, which is told elsewhere.
    return [];
  } finally {
    await reads.close();
    await db.close();
  }
}
