import { PayError } from '../../core/errors.ts';
import type { Queryable } from '../../db/database.ts';
import { type MoneyRequest, REQUEST_COLUMNS, REQUEST_JOINS } from './moneyRequest.ts';

/** Without an access check; the caller has decided that these requests may be seen. */
export const findRequests = (db: Queryable, requestIds: readonly string[]): Promise<MoneyRequest[]> =>
  db.query<MoneyRequest>(
    `SELECT ${REQUEST_COLUMNS} FROM money_requests m ${REQUEST_JOINS} WHERE m.request_id = ANY ($1)`,
    [requestIds],
  );

/**
 * The request as this person may see it: as the requester, as the person asked or, for a request by link, as anyone who
 * has the id. The latter do not see who has paid. For everyone else it is unknown.
 */
export async function getRequest(db: Queryable, requestId: string, userId: string): Promise<MoneyRequest> {
  const [request] = await db.query<MoneyRequest>(
    `SELECT ${REQUEST_COLUMNS} FROM money_requests m ${REQUEST_JOINS}
      WHERE m.request_id = $1 AND (m.asker_id = $2 OR m.payer_id = $2 OR m.by_link)`,
    [requestId, userId],
  );
  if (!request) throw new PayError('money_request.unknown');
  const isParty = userId === request.askerId || userId === request.payerId;
  return isParty ? request : { ...request, payerId: null, payer: null };
}

/** The request as anyone who has its link may see it, without who has paid. A request to a named person has no link. */
export async function getPublicRequest(db: Queryable, requestId: string): Promise<MoneyRequest> {
  const [request] = await db.query<MoneyRequest>(
    `SELECT ${REQUEST_COLUMNS} FROM money_requests m ${REQUEST_JOINS} WHERE m.request_id = $1 AND m.by_link`,
    [requestId],
  );
  if (!request) throw new PayError('money_request.unknown');
  return { ...request, payerId: null, payer: null };
}
