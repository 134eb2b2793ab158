import { smaller } from '../../core/bigints.ts';
import type { Hex } from '../../core/ports.ts';
import { findViolatedConstraint } from '../../db/database.ts';
import { assetIdsOf, type CustodyApp, getAsset, type Network } from '../network.ts';
import { toBytes, toHex } from './authorizations.ts';

/** Carried and refused this often: no further signature, so that its end can be proved. */
export const MAX_FAILURES = 3;
/** A carrier may wait this long before it is mined; what lapses sooner is signed again first. */
export const MARGIN_SECONDS = 60n;
const LIMIT = 200;
/** A node that lives in the future must not make signatures that outlive us. */
const MAX_AHEAD_SECONDS = 3_600n;

interface Unsigned {
  readonly authorization_id: string;
  readonly asset_id: number;
  readonly nonce: Buffer;
  readonly from_address: Hex;
  readonly to_address: Hex;
  readonly value: bigint;
  readonly reference: string;
}

/**
 * Signs what has coins reserved and no signature that still lasts, and commits the signatures before anyone sees
 * them. The validity comes from chain time. Answers how many were signed.
 */
export async function signAuthorizations(app: CustodyApp, network: Network): Promise<number> {
  const head = await network.chain.getHead();
  const latest = BigInt(Math.floor(Date.now() / 1000)) + MAX_AHEAD_SECONDS;
  const now = smaller(head.timeSeconds, latest);
  const unsigned = await app.db.query<Unsigned>(
    `SELECT a.authorization_id, a.asset_id, a.nonce, a.from_address, a.to_address, a.value, w.reference
       FROM authorizations a JOIN wallets w USING (wallet_id)
      WHERE a.asset_id = ANY ($1) AND a.state = 'open' AND a.valid_before < $2 AND a.failures < $3
        AND a.cancel_wanted_at IS NULL
        AND (a.reserved = a.value OR a.value <= a.reserved + (
              SELECT coalesce(sum(f.value), 0) FROM authorizations f
               WHERE f.funds = a.authorization_id AND f.state = 'open'))
        AND NOT EXISTS (SELECT FROM carrier_legs l JOIN carriers c USING (carrier_id)
                         WHERE l.authorization_id = a.authorization_id AND c.state = 'pending')
      ORDER BY a.created_at LIMIT $4`,
    [assetIdsOf(network), now + MARGIN_SECONDS, MAX_FAILURES, LIMIT],
  );
  if (unsigned.length === 0) return 0;
  const validBefore = now + BigInt(network.settings.validitySeconds);
  const signatures: string[] = [];
  for (const one of unsigned) {
    signatures.push(
      await app.wallets.signAuthorization(one.reference, getAsset(network, one.asset_id).domain, {
        from: one.from_address,
        to: one.to_address,
        amount: one.value,
        validAfterSeconds: 0n,
        validBeforeSeconds: validBefore,
        nonce: toHex(one.nonce),
      }),
    );
  }
  await commit(app, unsigned, signatures, validBefore);
  return unsigned.length;
}

async function commit(
  app: CustodyApp,
  signed: readonly Unsigned[],
  signatures: readonly string[],
  validBefore: bigint,
) {
  const ids = signed.map((one) => one.authorization_id);
  const insert = (from: number, to: number) =>
    app.db.query(
      `INSERT INTO signatures (authorization_id, valid_before, signature)
       SELECT id, $2, signature FROM unnest($1::uuid[], $3::bytea[]) AS s(id, signature) ORDER BY id`,
      [ids.slice(from, to), validBefore, signatures.slice(from, to).map(toBytes)],
    );
  try {
    await insert(0, ids.length);
  } catch (error) {
    // Another worker signed one of them, or it was ended meanwhile: the others go one by one.
    if (!isLate(error)) throw error;
    for (let i = 0; i < ids.length; i++) {
      await insert(i, i + 1).catch((late: unknown) => {
        if (!isLate(late)) throw late;
      });
    }
  }
}

const isLate = (error: unknown): boolean =>
  ['signatures_only_while_open', 'signatures_pkey'].includes(findViolatedConstraint(error) ?? '');
