import type { Queryable } from '../../db/database.ts';
import type { MoveStep } from '../rail.ts';

interface Row {
  readonly submitted_at: Date;
  readonly asked_at: Date | null;
  readonly waits_for: string | null;
  readonly held_at: Date | null;
  readonly accelerated_at: Date | null;
  readonly is_new: boolean;
  readonly updated_at: Date;
  readonly tx_hash: string | null;
  readonly cancel_asked_at: Date | null;
  readonly cancel_answer: 'accepted' | 'rejected' | 'unknown' | null;
  /** The provider reported it as complete, on an unwatched chain. */
  readonly is_provider_confirmed: boolean;
}

const ANSWERS = {
  accepted: 'the provider of the wallet will try to stop the transfer',
  rejected: 'the provider of the wallet cannot stop the transfer any more',
  unknown: 'the provider of the wallet was asked to stop the transfer, and has not answered yet',
};

const HELD = {
  note: 'its outcome is being checked; the amount is held until it is certain',
  detail:
    'its provider does not say what became of it, and is not asked again; two operators decide: florin transfer held',
};
const PROVIDER_CONFIRMED = {
  note: 'the provider of the wallet reports that it is complete',
  detail: 'the wallet provider reports that it is complete; on this blockchain, its report is decisive',
};
const FASTER = {
  note: 'not on the blockchain yet; it is sent with a higher fee',
  detail: 'no block took it; the provider of the wallet was asked to pay a higher fee',
};

export async function readSteps(db: Queryable, moveId: string): Promise<MoveStep[]> {
  const rows = await db.query<Row>(
    `SELECT submitted_at, asked_at, waits_for, held_at, accelerated_at, provider_state = 'new' AS is_new, updated_at,
            p.tx_hash, cancel_asked_at, cancel_answer, provider_state = 'done' AND n.family <> 'evm' AS is_provider_confirmed
       FROM provider_transfers p JOIN coin_moves m USING (move_id) JOIN assets USING (asset_id)
       JOIN networks n USING (network_id)
      WHERE move_id = $1`,
    [moveId],
  );
  return rows.flatMap((row): MoveStep[] => [
    { at: row.submitted_at, txHash: null, note: 'handed to the provider of the wallet, which sends it' },
    ...(row.is_new && row.waits_for
      ? [
          {
            at: row.asked_at ?? row.submitted_at,
            txHash: null,
            note: 'not sent yet; it is tried again',
            detail: `not sent yet: ${row.waits_for}`,
          },
        ]
      : []),
    ...(row.held_at ? [{ at: row.held_at, txHash: null, ...HELD }] : []),
    ...(row.accelerated_at ? [{ at: row.accelerated_at, txHash: null, ...FASTER }] : []),
    ...(row.cancel_asked_at && row.cancel_answer
      ? [{ at: row.cancel_asked_at, txHash: null, note: ANSWERS[row.cancel_answer] }]
      : []),
    ...(row.tx_hash
      ? [{ at: row.updated_at, txHash: row.tx_hash, note: 'the provider of the wallet names this chain transaction' }]
      : []),
    ...(row.is_provider_confirmed ? [{ at: row.updated_at, txHash: row.tx_hash, ...PROVIDER_CONFIRMED }] : []),
  ]);
}
