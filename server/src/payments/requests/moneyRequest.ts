/** A request for money: what `money_requests` says of it, as one of the people concerned may see it. */
export type RequestState = 'open' | 'paid' | 'declined' | 'cancelled' | 'expired';

export interface MoneyRequest {
  readonly requestId: string;
  readonly state: RequestState;
  readonly askerId: string;
  /** Their name today. */
  readonly asker: string | null;
  /** Who is asked, or has paid; null for a request by link that nobody has paid. */
  readonly payerId: string | null;
  readonly payer: string | null;
  /** Nobody is named: whoever has the id may pay. */
  readonly byLink: boolean;
  readonly amount: bigint;
  readonly note: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly endedAt: Date | null;
}

/** `now()` judges, so the state is right before a worker has written it down. */
export const REQUEST_COLUMNS = `
  m.request_id AS "requestId", m.asker_id AS "askerId", m.payer_id AS "payerId", m.by_link AS "byLink",
  CASE WHEN m.state = 'open' AND m.expires_at <= now() THEN 'expired' ELSE m.state END AS state,
  asker.username AS asker, payer.username AS payer, m.amount, m.note, m.created_at AS "createdAt",
  m.expires_at AS "expiresAt",
  CASE WHEN m.state IN ('open', 'expired') THEN CASE WHEN m.expires_at <= now() THEN m.expires_at END
       ELSE m.ended_at END AS "endedAt"`;

export const REQUEST_JOINS = `
  LEFT JOIN usernames asker ON asker.user_id = m.asker_id AND asker.redirect_until IS NULL
  LEFT JOIN usernames payer ON payer.user_id = m.payer_id AND payer.redirect_until IS NULL`;
