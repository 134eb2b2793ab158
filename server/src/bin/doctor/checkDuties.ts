import type { Db, Queryable } from '../../db/database.ts';
import { listEndpoints } from '../../events/webhooks/endpoints.ts';
import { listStrayLogins } from '../../operators/operators.ts';
import { listRestores } from '../../operators/restores.ts';
import { WAITS_FOR_APPROVAL } from '../../payments/sends/approvePayment.ts';
import { countOf, renderTime } from '../program/render.ts';
import { type Finding, ok, warning } from './finding.ts';

/** As in FlorinApprovalsWait and FlorinPayoutsWait. */
const LONG_MS = 4 * 3_600_000;

/** What waits for people: a restore that is not finished, approvals, logins of people who left, and webhooks. */
export const checkDuties = async (db: Db): Promise<Finding[]> => [
  ...(await checkRestores(db)),
  ...(await checkApprovals(db)),
  ...(await checkLogins(db)),
  ...(await checkWebhooks(db)),
];

/** Sessions from before a restore may stay refused forever, because people log in again. Keys may not. */
async function checkRestores(db: Queryable): Promise<Finding[]> {
  const open = (await listRestores(db)).filter(({ unconfirmed }) => unconfirmed.includes('keys'));
  return open.map(({ notedAt, reason, unconfirmed }) =>
    warning(
      'database',
      `it was restored from a backup, noticed at ${renderTime(notedAt)}: ${reason}. ${unconfirmed.join(' and ')} from before are refused`,
      'follow docs/operating/restore.md; then florin restore confirm keys',
    ),
  );
}

async function checkApprovals(db: Queryable): Promise<Finding[]> {
  const rows = await db.query<{ what: 'send' | 'payout'; waiting: number; oldest: Date; now: Date }>(
    `SELECT o.what, count(*)::int AS waiting, min(o.since) AS oldest, clock_timestamp() AS now
       FROM (SELECT 'send' AS what, t.created_at AS since
               FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold' WHERE ${WAITS_FOR_APPROVAL}
             UNION ALL SELECT 'payout', confirmed_at FROM payouts WHERE state = 'approving') o
      GROUP BY 1 ORDER BY 1 DESC`,
  );
  return rows.map(({ what, waiting, oldest, now }) => {
    const says = `${countOf(waiting, what)} ${waiting === 1 ? 'waits' : 'wait'} for two operators, the oldest since ${renderTime(oldest)}`;
    if (now.getTime() - oldest.getTime() < LONG_MS) return ok('payments', says);
    const fix =
      what === 'send'
        ? 'florin payment waiting; then florin payment approve or deny'
        : 'florin payout list --state approving; then florin payment approve-payout';
    return warning('payments', says, fix);
  });
}

const checkLogins = async (db: Queryable): Promise<Finding[]> =>
  (await listStrayLogins(db)).map((login) =>
    warning(
      'operators',
      `the login ${login} has the operators' role but belongs to no operator: it can still read everything that operators read`,
      `if the person left: ALTER ROLE "${login}" NOLOGIN, and end its connections (docs/operating/database-roles.md); otherwise florin operator add ${login} --role ROLE`,
    ),
  );

async function checkWebhooks(db: Queryable): Promise<Finding[]> {
  return (await listEndpoints(db)).flatMap(({ endpointId, url, state, failure, failingSince }) => {
    const name = `the webhook ${endpointId} (${new URL(url).host})`;
    if (state === 'failed')
      return warning(
        'webhooks',
        `${name} was switched off because its deliveries failed${failure ? `: ${failure}` : ''}`,
        `when its receiver works: florin webhook change ${endpointId} --state on`,
      );
    if (state === 'off') return ok('webhooks', `${name} is switched off by people`);
    return failingSince
      ? warning(
          'webhooks',
          `all deliveries of ${name} have failed since ${renderTime(failingSince)}`,
          `florin webhook deliveries ${endpointId} shows the answers`,
        )
      : [];
  });
}
