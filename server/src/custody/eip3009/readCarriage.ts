import type { Queryable } from '../../db/database.ts';

/** Something that happened to a payment on its way, for its timeline. */
export interface CarriageStep {
  readonly at: Date;
  readonly txHash: string | null;
  readonly note: string;
}

interface AttemptRow {
  readonly at: Date;
  readonly hash: string;
  readonly nonce: bigint;
  readonly legs: number;
  readonly nth: number;
  readonly max_fee_wei: string;
  readonly answer: string | null;
  readonly cancels: boolean;
}

/** Every chain transaction that was made to carry a payment or its cancellation, also those that were replaced. */
export async function readCarriage(db: Queryable, paymentId: string): Promise<CarriageStep[]> {
  const attempts = await db.query<AttemptRow>(
    `SELECT t.created_at AS at, t.hash, c.nonce, t.max_fee_wei, t.answer,
            coalesce(t.edition >= l.cancelled_in, false) AS cancels,
            (SELECT count(*)::int FROM carrier_legs o WHERE o.carrier_id = c.carrier_id) AS legs,
            row_number() OVER (PARTITION BY c.carrier_id ORDER BY t.created_at)::int AS nth
       FROM carrier_legs l JOIN carriers c USING (carrier_id) JOIN carrier_attempts t USING (carrier_id)
      WHERE l.authorization_id = $1 ORDER BY t.created_at`,
    [paymentId],
  );
  const funding = await db.query<{ at: Date; value: bigint; tx_hash: string | null }>(
    `SELECT created_at AS at, value, tx_hash FROM authorizations WHERE funds = $1 ORDER BY created_at`,
    [paymentId],
  );
  const asked = await db.query<{ at: Date }>(
    `SELECT cancel_wanted_at AS at FROM authorizations WHERE authorization_id = $1 AND cancel_wanted_at IS NOT NULL`,
    [paymentId],
  );
  return [
    ...asked.map(({ at }) => ({ at, txHash: null, note: ASKED })),
    ...funding.map(({ at, tx_hash: txHash }) => ({
      at,
      txHash,
      note: 'coins come from another wallet, settled just in time and carried in front',
    })),
    ...attempts.map((attempt) => ({ at: attempt.at, txHash: attempt.hash, note: describe(attempt) })),
  ].sort((a, b) => a.at.getTime() - b.at.getTime());
}

const ASKED =
  'a cancellation was asked for; what was signed is cancelled on chain, and the amount is held until one of the two is final';

function describe({ nonce, legs, nth, max_fee_wei: maxFeeWei, answer, cancels }: AttemptRow): string {
  const company = legs > 1 ? `with ${legs - 1} other calls` : 'alone';
  const what = nth > 1 ? 'replaces the one before' : `carried ${company}`;
  const cancellation = cancels ? 'carries the cancellation: ' : '';
  const refused = answer && answer !== 'accepted' ? `; the node answered ${answer}` : '';
  return `${cancellation}${what}, relayer slot ${nonce}, at most ${maxFeeWei} wei per gas${refused}`;
}

/** The first settlement that covers a user's payment and is final: from then on the coins are in the payee's wallet. */
export async function findSettlement(db: Queryable, paymentId: string): Promise<CarriageStep | undefined> {
  const [row] = await db.query<{ at: Date; settlement_id: string }>(
    `SELECT s.completed_at AS at, s.settlement_id FROM transfers t JOIN settlements s USING (asset_id)
      WHERE t.transfer_id = $1 AND t.kind = 'user' AND s.covers_seq > t.seq AND s.completed_at IS NOT NULL
      ORDER BY s.covers_seq LIMIT 1`,
    [paymentId],
  );
  return (
    row && { at: row.at, txHash: null, note: `settled on chain, netted with others in settlement ${row.settlement_id}` }
  );
}
