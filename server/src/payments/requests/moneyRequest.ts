/** A request for money: a row of `money_requests`, as one of the people concerned may see it. */
export type RequestState = 'open' | 'paid' | 'declined' | 'cancelled' | 'expired';

export interface MoneyRequest {
  readonly requestId: string;
  readonly state: RequestState;
  readonly askerId: string;
  /** Their current name. */
  readonly asker: string | null;
  /** The person who is asked or has paid; null for an unpaid request by link. */
  readonly payerId: string | null;
  readonly payer: string | null;
  /** No payer is named: anyone who has the id may pay. */
  readonly byLink: boolean;
  readonly amount: bigint;
  readonly note: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly endedAt: Date | null;
}

/** Compares with `now()`, so the state is correct before a worker has stored it. */
export const REQUEST_COLUMNS = `
  m.request_id AS "requestId", m.asker_id AS "askerId", m.payer_id AS "payerId", m.by_link AS "byLink",
  CASE WHEN m.state = 'open' AND m.expires_at <= now() THEN 'expired' ELSE m.state END AS state,
  asker.username AS asker, payer.username AS payer, m.amount, n.note, m.created_at AS "createdAt",
  m.expires_at AS "expiresAt",
  CASE WHEN m.state IN ('open', 'expired') THEN CASE WHEN m.expires_at <= now() THEN m.expires_at END
       ELSE m.ended_at END AS "endedAt"`;

export const REQUEST_JOINS = `
  LEFT JOIN payment_notes n ON n.payment_id = m.request_id
  LEFT JOIN usernames asker ON asker.user_id = m.asker_id AND asker.redirect_until IS NULL
  LEFT JOIN usernames payer ON payer.user_id = m.payer_id AND payer.redirect_until IS NULL`;
