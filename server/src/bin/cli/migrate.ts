import { finishUpgrade } from '../../db/finishUpgrade.ts';
import { renewIds } from '../../db/ids/renewIds.ts';
import { migrate } from '../../db/migrate.ts';
import { readOwnerDatabaseUrl } from '../config/config.ts';
import { verb } from '../program/command.ts';
import { findOutage } from '../program/describeFault.ts';

export default verb({
  says: 'Makes the database what this build needs: tables, functions and roles',
  about: `Safe to repeat, also at once from several places. Needs FLORIN_OWNER_DATABASE_URL (or DATABASE_URL) with a
login that may change tables: docs/operating/upgrade.md.`,
  options: {
    finish: { type: 'boolean', says: 'no process of the previous release is left: also what had to wait for that' },
    'renew-ids': { type: 'boolean', says: 'only that: for every night (docs/operating/growth.md)' },
  },
  ignoresSandbox: true,
  examples: ['migrate --env-file owner.env', 'migrate --finish', 'migrate --renew-ids'],
  async run({ say }, { options }) {
    const url = readOwnerDatabaseUrl();
    try {
      if (options['renew-ids']) {
        await renewIds(url, { log: say });
        return '';
      }
      await migrate(url, { log: say });
      if (options.finish) await finishUpgrade(url, { log: say });
      return 'The database is as this build needs it.\n';
    } catch (error) {
      // Said with the login that it uses: it is not the one of DATABASE_URL.
      throw findOutage(error, url) ?? error;
    }
  },
});
