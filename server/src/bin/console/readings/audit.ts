import { invalid } from '../../../http/console/consoleFault.ts';
import type { Reading } from '../../../http/console/reading.ts';
import { type AuditLine, listAudit } from '../../../operators/listAudit.ts';
import { cutPage, parseLimit } from '../../program/listing.ts';
import { findUserId } from '../../program/lookups.ts';
import { parseTime } from '../../program/parseTime.ts';
import { auditEntry } from '../answers.ts';
import { pageOf } from '../command.ts';

export const renderEntry = ({ auditId, at, actor, action, userId, details }: AuditLine) => ({
  audit_id: String(auditId),
  at,
  actor,
  action,
  user_id: userId,
  details,
});

export const audit: Reading = {
  path: '/api/audit',
  about: 'florin audit',
  query: ['user', 'by', 'action', 'since'],
  list: { kind: 'pages', rows: 'entries' },
  answer: pageOf('entries', auditEntry),
  async run({ db }, _, { user, by, action, since, limit: asked, after }) {
    if (after !== undefined && !/^\d{1,18}$/.test(after)) throw invalid('after must be the next of a page.', 'after');
    const limit = parseLimit(asked);
    const found = await listAudit(db, {
      userId: user === undefined ? undefined : await findUserId(db, user),
      actor: by,
      action,
      since: since === undefined ? undefined : parseTime(since),
      before: after === undefined ? undefined : BigInt(after),
      limit: limit + 1,
    });
    const { rows, next } = cutPage(found, limit, ({ auditId }) => String(auditId));
    return { entries: rows.map(renderEntry), next: next ?? null };
  },
};
