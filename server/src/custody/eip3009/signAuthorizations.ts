import { smaller } from '../../core/bigints.ts';
import type { Chain } from '../../core/ports.ts';
import type { KnownMove } from '../coins/moves.ts';
import { assetIdsOf, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { nonceOfMove, toBytes } from './authorizations.ts';
import { notePass } from './relaying/isQuiet.ts';
import { findSpentUnsigned, MAY_BE_SPENT } from './spentNonces.ts';

/** After this many failed relays a move gets no further signature, so that its end can be proved. */
export const MAX_FAILURES = 3;
/** A relay transaction may wait this long before it is mined. A signature that expires sooner is renewed first. */
export const MARGIN_SECONDS = 60n;
const LIMIT = 200;
/** Signatures per commit. Finished signatures are never lost when later ones fail. */
const CHUNK = 100;
/** How long to wait before asking again for something that the signer does not sign now. */
const WAIT_MS = 2_000;
/** A node whose clock is ahead must not make us sign with a validity far in the future. */
export const MAX_AHEAD_SECONDS = 3_600n;

/** When expired signatures were last searched for. Only the chain knows its time, so this happens occasionally. */
const lookedAt = new WeakMap<Chain, number>();

interface Unsigned extends Pick<KnownMove, 'moveId' | 'purpose'> {
  /** The nonce of its authorization, if it has one, even from an older release. It never changes. */
  readonly nonce: Buffer | null;
  readonly mayBeSpent: boolean;
}

/**
 * Asks the signer for signatures of moves whose coins are reserved and that have no signature that is valid long
 * enough. The signer commits the signatures before anyone sees them. A send that is funded just in time counts coins
 * that moves of this rail will bring: both are relayed together. The validity is based on the chain's time.
 */
export async function signAuthorizations(app: CustodyApp, network: Network): Promise<void> {
  const lookedMs = Date.now() - (lookedAt.get(network.chain) ?? 0);
  if (lookedMs < network.settings.rebroadcastAfterMs && !(await hasUnsigned(app, network))) return;
  lookedAt.set(network.chain, Date.now());
  const head = await network.chain.getHead();
  const latest = BigInt(Math.floor(Date.now() / 1000)) + MAX_AHEAD_SECONDS;
  const now = smaller(head.timeSeconds, latest);
  const found = await app.db.query<Unsigned>(
    `SELECT m.move_id AS "moveId", m.purpose, a.nonce, ${MAY_BE_SPENT} AS "mayBeSpent"
       FROM coin_moves m LEFT JOIN authorizations a USING (move_id)
      WHERE m.asset_id = ANY ($1) AND m.rail = 'eip3009' AND m.state = 'open' AND m.cancel_wanted_at IS NULL
        AND (a.move_id IS NULL OR (NOT a.carried AND a.valid_before < $2 AND a.failures < $3
             AND (a.valid_before > 0 OR a.carry_after <= clock_timestamp())))
        AND (m.reserved = m.amount OR m.amount <= m.reserved + (
              SELECT coalesce(sum(f.amount), 0) FROM coin_moves f
               WHERE f.funds = m.move_id AND f.state = 'open' AND f.rail = m.rail))
      ORDER BY m.purpose = 'settlement' AND m.funds IS NULL, m.created_at LIMIT $4`,
    [assetIdsOf(network), now + MARGIN_SECONDS, MAX_FAILURES, LIMIT],
  );
  const unsigned = await dropSpent(app, network, found);
  const validBefore = now + BigInt(network.settings.validitySeconds);
  for (let i = 0; i < unsigned.length; i += CHUNK) {
    await ask(app, unsigned.slice(i, i + CHUNK), validBefore);
    // Relaying runs concurrently, and may have found nothing to do before.
    notePass(network, false);
  }
}

/** Leaves out moves whose nonce the chain has already used. `findDead` ends those. */
async function dropSpent(app: CustodyApp, network: Network, moves: readonly Unsigned[]): Promise<readonly Unsigned[]> {
  if (!moves.some((move) => move.mayBeSpent)) return moves;
  const spent = new Set((await findSpentUnsigned(app.db, network)).map(({ moveId }) => moveId));
  return moves.filter(({ moveId }) => !spent.has(moveId));
}

/** Checked before the chain is asked for its time: is there a due move that was never signed? */
async function hasUnsigned(app: CustodyApp, network: Network): Promise<boolean> {
  const rows = await app.db.query(
    `SELECT FROM coin_moves m LEFT JOIN authorizations a USING (move_id)
      WHERE m.asset_id = ANY ($1) AND m.rail = 'eip3009' AND m.state = 'open' AND m.cancel_wanted_at IS NULL
        AND (a.move_id IS NULL OR a.valid_before = 0 AND a.carry_after <= clock_timestamp()) LIMIT 1`,
    [assetIdsOf(network)],
  );
  return rows.length > 0;
}

async function ask(app: CustodyApp, moves: readonly Unsigned[], validBefore: bigint): Promise<void> {
  const answer = await app.signer.signAuthorizations(
    moves.map(({ moveId }) => moveId),
    validBefore,
  );
  if (answer.outcome !== 'accepted') return noteWait(app, moves, 'the signer does not answer', 0);
  for (const { id, reason, isForNow, isNext } of answer.refused) {
    const move = moves.find(({ moveId }) => moveId === id);
    const waitMs = isNext ? 0 : WAIT_MS;
    if (move) await (isForNow ? noteWait(app, [move], reason, waitMs) : countRefusal(app, move, reason));
  }
}

/** The move waits for as long as necessary. Its row stores the reason. */
async function noteWait(app: CustodyApp, moves: readonly Unsigned[], reason: string, waitMs: number): Promise<void> {
  await app.db.query(
    `INSERT INTO authorizations AS a (move_id, nonce, waits_for, waits_since, carry_after)
     SELECT i.id, i.nonce, $3, clock_timestamp(), clock_timestamp() + $4 * interval '1 millisecond'
       FROM unnest($1::uuid[], $2::bytea[]) AS i(id, nonce) JOIN coin_moves m ON m.move_id = i.id
      WHERE m.state = 'open' AND m.cancel_wanted_at IS NULL ORDER BY i.id
     ON CONFLICT (move_id) DO UPDATE SET waits_for = excluded.waits_for, carry_after = CASE WHEN a.valid_before = 0
         THEN excluded.carry_after ELSE a.carry_after END,
       waits_since = CASE WHEN a.waits_for = excluded.waits_for THEN a.waits_since ELSE excluded.waits_since END`,
    [moves.map(({ moveId }) => moveId), moves.map(readNonce), reason.slice(0, 300), waitMs],
  );
}

/**
 * The signer refused the move. It is asked again, with growing pauses, and the move is given up after the last time.
 */
async function countRefusal(app: CustodyApp, move: Unsigned, reason: string): Promise<void> {
  await app.db.query(
    `INSERT INTO authorizations AS a (move_id, nonce, failures, failure_reason, carry_after)
     SELECT move_id, $2, 1, $3, clock_timestamp() + interval '1 second' FROM coin_moves
      WHERE move_id = $1 AND state = 'open' AND cancel_wanted_at IS NULL
     ON CONFLICT (move_id) DO UPDATE SET failures = a.failures + 1, failure_reason = excluded.failure_reason,
       carry_after = clock_timestamp() + least(2 ^ a.failures, 300) * interval '1 second'`,
    [move.moveId, readNonce(move), `the signer refused: ${reason}`],
  );
}

const readNonce = (move: Unsigned): Buffer => move.nonce ?? toBytes(nonceOfMove(move));
