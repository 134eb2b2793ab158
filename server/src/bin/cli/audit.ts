import { listUsernames } from '../../customers/findPerson.ts';
import { listAudit } from '../../operators/listAudit.ts';
import { verb } from '../program/command.ts';
import { misused } from '../program/faults.ts';
import { findUserId } from '../program/lookups.ts';
import { parseTime } from '../program/parseTime.ts';
import { renderTime, wrap } from '../program/render.ts';

const LINES = 50;
const MOST = 10_000;

export default verb({
  summary: 'Shows who did what, and when, newest first',
  options: {
    user: { type: 'string', value: 'USER', summary: 'about this person: username, user id, address or e-mail address' },
    by: {
      type: 'string',
      value: 'NAME',
      summary: "done by this operator's login, or by operator:anna, user:ID, service:NAME",
    },
    action: { type: 'string', value: 'ACTION', summary: 'only these actions: payment, payment.denied, key, limits …' },
    since: { type: 'string', value: 'TIME', summary: 'not before: 2027-01-31 or 2027-01-31T12:00Z, in UTC' },
    after: { type: 'string', value: 'ENTRY', summary: 'only entries older than this one, by its audit_id (--json)' },
    lines: { type: 'string', value: 'NUMBER', summary: `the most entries to show; default ${LINES}` },
  },
  reads: true,
  examples: ['audit --user ada', 'audit --by anna --since 2027-01-31', 'audit --action payments.paused --json'],
  async run({ db }, { options }) {
    const lines = await listAudit(db, {
      userId: options.user === undefined ? undefined : await findUserId(db, options.user),
      actor: options.by,
      action: options.action,
      since: options.since === undefined ? undefined : parseTime(options.since),
      before: options.after === undefined ? undefined : parseEntry(options.after),
      limit: parseLines(options.lines),
    });
    const names = await listUsernames(
      db,
      lines.flatMap((one) => one.userId ?? []),
    );
    const text = lines.map((one) => {
      const who = one.actor.startsWith('user:') ? 'the person' : one.actor;
      const about = [
        ...(one.userId ? [`user=${names.get(one.userId) ?? one.userId}`] : []),
        ...Object.entries(one.details).map(([name, value]) => `${name}=${String(value)}`),
      ];
      const details = about.length === 0 ? [] : wrap(`    ${about.join(' ')}`);
      return [`${renderTime(one.at)}  ${one.action} by ${who}`, ...details, ''].join('\n');
    });
    const json = lines.map((one) => ({
      audit_id: String(one.auditId),
      at: one.at,
      actor: one.actor,
      action: one.action,
      user_id: one.userId,
      details: one.details,
    }));
    return { text: text.join('') || 'No matching entries.\n', json };
  },
});

function parseEntry(text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) throw misused('--after must be the audit_id of an entry');
  return BigInt(text);
}

function parseLines(text = String(LINES)): number {
  const lines = /^\d{1,6}$/.test(text) ? Number.parseInt(text, 10) : 0;
  if (lines < 1 || lines > MOST) throw misused(`--lines must be a number from 1 to ${MOST}`);
  return lines;
}
