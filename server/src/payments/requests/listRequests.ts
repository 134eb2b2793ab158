import { PayError } from '../../core/errors.ts';
import type { Queryable } from '../../db/database.ts';
import { type MoneyRequest, REQUEST_COLUMNS, REQUEST_JOINS, type RequestState } from './moneyRequest.ts';

export interface RequestQuery {
  readonly userId: string;
  /** `incoming`: this person is asked, or has paid. `outgoing`: they ask. */
  readonly direction: 'incoming' | 'outgoing';
  readonly state?: RequestState | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

interface RequestPage {
  readonly items: readonly MoneyRequest[];
  readonly cursor: string | null;
}

/** Newest first. A new request does not shift later pages. */
export async function listRequests(db: Queryable, query: RequestQuery): Promise<RequestPage> {
  const { userId, direction, state, limit, cursor } = query;
  const after = cursor === undefined ? undefined : parseCursor(cursor);
  const rows = await db.query<MoneyRequest>(
    `SELECT ${REQUEST_COLUMNS} FROM money_requests m ${REQUEST_JOINS}
      WHERE m.${direction === 'incoming' ? 'payer_id' : 'asker_id'} = $1
        AND ($2::timestamptz IS NULL OR (m.created_at, m.request_id) < ($2, $3::uuid))
        AND ($4::text IS NULL OR CASE WHEN m.state = 'open' AND m.expires_at <= now() THEN 'expired' ELSE m.state END = $4)
      ORDER BY m.created_at DESC, m.request_id DESC LIMIT $5`,
    [userId, after?.at ?? null, after?.requestId ?? null, state ?? null, limit + 1],
  );
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, cursor: last && rows.length > limit ? renderCursor(last) : null };
}

/**
 * It only contains the request below which the next page begins, so a forged cursor shows nothing that its caller may
 * not see.
 */
function renderCursor({ createdAt, requestId }: MoneyRequest): string {
  return Buffer.from(`1.${createdAt.getTime()}.${requestId}`).toString('base64url');
}

function parseCursor(cursor: string): { readonly at: Date; readonly requestId: string } {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const match = /^1\.(\d{1,14})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text);
  if (!match) throw new PayError('cursor.invalid');
  return { at: new Date(Number.parseInt(match[1]!, 10)), requestId: match[2]! };
}
