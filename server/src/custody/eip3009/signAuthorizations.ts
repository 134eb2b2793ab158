import { smaller } from '../../core/bigints.ts';
import type { Hex } from '../../core/ports.ts';
import { findViolatedConstraint } from '../../db/database.ts';
import { assetIdsOf, getAsset, type Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { nonceOfMove, toBytes, toHex } from './authorizations.ts';

/** Carried and refused this often: no further signature, so that its end can be proved. */
export const MAX_FAILURES = 3;
/** A carrier may wait this long before it is mined; what lapses sooner is signed again first. */
export const MARGIN_SECONDS = 60n;
const LIMIT = 200;
/** Signatures per commit: those that are made are never lost for the ones that are not. */
const CHUNK = 100;
/** A node that lives in the future must not make signatures that outlive us. */
export const MAX_AHEAD_SECONDS = 3_600n;

interface Unsigned {
  readonly move_id: string;
  readonly purpose: 'send' | 'settlement';
  /** Of its authorization, if it was signed before, also by an older release. It never changes. */
  readonly nonce: Buffer | null;
  readonly asset_id: number;
  readonly from_address: Hex;
  readonly to_address: Hex;
  readonly amount: bigint;
  readonly reference: string;
}

interface Signature {
  readonly moveId: string;
  readonly nonce: Buffer;
  readonly bytes: Buffer;
}

/**
 * Signs what has coins reserved and no signature that still lasts, and commits the signatures before anyone sees them. A
 * send that is funded just in time counts coins that moves of this rail will bring: both are carried together. The
 * validity comes from chain time.
 */
export async function signAuthorizations(app: CustodyApp, network: Network): Promise<void> {
  const head = await network.chain.getHead();
  const latest = BigInt(Math.floor(Date.now() / 1000)) + MAX_AHEAD_SECONDS;
  const now = smaller(head.timeSeconds, latest);
  const unsigned = await app.db.query<Unsigned>(
    `SELECT m.move_id, m.purpose, a.nonce, m.asset_id, m.from_address, m.to_address, m.amount, w.reference
       FROM coin_moves m JOIN wallets w USING (wallet_id) LEFT JOIN authorizations a USING (move_id)
      WHERE m.asset_id = ANY ($1) AND m.rail = 'eip3009' AND m.state = 'open' AND m.cancel_wanted_at IS NULL
        AND (a.move_id IS NULL OR (NOT a.carried AND a.valid_before < $2 AND a.failures < $3
             AND (a.valid_before > 0 OR a.carry_after <= clock_timestamp())))
        AND (m.reserved = m.amount OR m.amount <= m.reserved + (
              SELECT coalesce(sum(f.amount), 0) FROM coin_moves f
               WHERE f.funds = m.move_id AND f.state = 'open' AND f.rail = m.rail))
      ORDER BY m.created_at LIMIT $4`,
    [assetIdsOf(network), now + MARGIN_SECONDS, MAX_FAILURES, LIMIT],
  );
  const validBefore = now + BigInt(network.settings.validitySeconds);
  for (let i = 0; i < unsigned.length; i += CHUNK) {
    await commit(app, await sign(app, network, unsigned.slice(i, i + CHUNK), validBefore), validBefore);
  }
}

async function sign(app: CustodyApp, network: Network, unsigned: readonly Unsigned[], validBeforeSeconds: bigint) {
  const signatures: Signature[] = [];
  for (const {
    move_id: moveId,
    purpose,
    nonce: signedBefore,
    asset_id: assetId,
    from_address: from,
    to_address: to,
    amount,
    reference,
  } of unsigned) {
    const { domain } = getAsset(network, assetId);
    const nonce = signedBefore ? toHex(signedBefore) : nonceOfMove({ moveId, purpose });
    const answer = await app.signer.signAuthorization(reference, domain, {
      from,
      to,
      amount,
      validAfterSeconds: 0n,
      validBeforeSeconds,
      nonce,
    });
    if (answer.outcome === 'accepted') {
      signatures.push({ moveId, nonce: toBytes(nonce), bytes: toBytes(answer.signature) });
    } else if (answer.outcome === 'rejected') {
      await countRefusal(app, moveId, toBytes(nonce), answer.reason);
    }
  }
  return signatures;
}

/** Refused by the signer: asked again, later and later, and given up after the last time. */
async function countRefusal(app: CustodyApp, moveId: string, nonce: Buffer, reason: string): Promise<void> {
  await app.db.query(
    `INSERT INTO authorizations AS a (move_id, nonce, failures, failure_reason, carry_after)
     VALUES ($1, $2, 1, $3, clock_timestamp() + interval '1 second')
     ON CONFLICT (move_id) DO UPDATE SET failures = a.failures + 1, failure_reason = excluded.failure_reason,
       carry_after = clock_timestamp() + least(2 ^ a.failures, 300) * interval '1 second'`,
    [moveId, nonce, `the signer refused: ${reason}`],
  );
}

async function commit(app: CustodyApp, signatures: readonly Signature[], validBefore: bigint): Promise<void> {
  if (signatures.length === 0) return;
  const record = (some: readonly Signature[]) =>
    app.db.query('SELECT record_signatures($1, $2, $3, $4)', [
      some.map((one) => one.moveId),
      some.map((one) => one.nonce),
      validBefore,
      some.map((one) => one.bytes),
    ]);
  try {
    await record(signatures);
  } catch (error) {
    // Another worker signed one of them, or it was ended meanwhile: the others go one by one.
    if (!isLate(error)) throw error;
    for (const one of signatures) {
      await record([one]).catch((late: unknown) => {
        if (!isLate(late)) throw late;
      });
    }
  }
}

const isLate = (error: unknown): boolean =>
  ['signatures_only_while_open', 'signatures_pkey'].includes(findViolatedConstraint(error) ?? '');
