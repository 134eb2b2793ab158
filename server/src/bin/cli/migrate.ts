import { finishUpgrade } from '../../db/finishUpgrade.ts';
import { migrate } from '../../db/migrate.ts';
import { forgetAudit } from '../../operators/forgetAudit.ts';
import { readOwnerDatabaseUrl } from '../config/config.ts';
import { verb } from '../program/command.ts';
import { findOutage } from '../program/describeFault.ts';
import { misused } from '../program/faults.ts';

export default verb({
  summary: 'Migrates the database to this build: tables, functions and roles',
  about: `Safe to repeat, and safe to run concurrently. Needs FLORIN_OWNER_DATABASE_URL (or DATABASE_URL) with a login that
may change tables: docs/operating/upgrade.md.`,
  options: {
    finish: {
      type: 'boolean',
      summary: 'also run the steps that must wait until no process of the previous release is left',
    },
    'forget-audit': {
      type: 'string',
      value: 'DAYS',
      summary: 'only delete entries of the audit log older than this, at least 366 days',
    },
  },
  ignoresSandbox: true,
  examples: ['migrate --env-file owner.env', 'migrate --finish', 'migrate --forget-audit 3650'],
  async plan({ say }, { options }) {
    const url = readOwnerDatabaseUrl();
    // Describes the outage here, because this command uses another login than DATABASE_URL.
    const explain = (error: unknown) => {
      throw findOutage(error, url) ?? error;
    };
    const text = options['forget-audit'];
    if (text !== undefined) {
      const days = parseDays(text);
      return {
        title: 'Delete old entries of the audit log. They cannot be recovered from this database.',
        changes: [{ what: 'entries', before: 'all', after: `those of the last ${days} days` }],
        carryOut: async () => `Deleted ${await forgetAudit(url, days).catch(explain)} entries of the audit log.\n`,
      };
    }
    return {
      title: options.finish
        ? 'Migrate the database, and end what the previous release still needs of it. No process of that release may run.'
        : 'Migrate the database to this build.',
      ...(!options.finish && { isRoutine: true as const }),
      async carryOut() {
        await migrate(url, { log: say }).catch(explain);
        if (options.finish) await finishUpgrade(url, { log: say }).catch(explain);
        return 'The database is up to date for this build.\n';
      },
    };
  },
});

/** PostgreSQL keeps every entry for a year, even if fewer days are asked for. */
function parseDays(text: string): number {
  const days = /^\d{1,5}$/.test(text) ? Number.parseInt(text, 10) : 0;
  if (days < 366) throw misused('--forget-audit must be a number of days, at least 366');
  return days;
}
