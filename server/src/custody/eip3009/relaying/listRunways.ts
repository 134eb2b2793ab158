import { formatGwei } from '../../../core/money.ts';
import type { Queryable } from '../../../db/database.ts';
import { costOf, countPayments } from './gas.ts';

/** The fault of a relayer that recovers by itself. Payments wait until then. */
export const PASSES_NONCES =
  'its nonces were used by something else (this database was restored, or its key was used elsewhere); ' +
  'it continues after them automatically once that is final';

/** The beginning of the fault of a relayer whose transaction the signer refuses to sign. */
export const REFUSED = 'refused: ';

/** SQL: the providers that send by themselves. */
const SENDING = `SELECT provider FROM wallet_providers WHERE rail = 'provider'`;

export interface Runway {
  readonly blockchain: string;
  readonly address: string;
  readonly gasWei: bigint;
  /** How many payments the balance pays for; undefined while the gas price is unknown. */
  readonly payments: bigint | undefined;
  /** The cost of a thousand payments at the last known gas price; 0 before there was one. */
  readonly thousandWei: bigint;
  /** The amount needed by a payment that could not be paid for; 0: there is no such payment. */
  readonly needsWei: bigint;
  /** What a unit of gas costs, if that is more than relayers may bid: sends wait until it is cheaper. */
  readonly aboveCap: { readonly feeWei: bigint; readonly capWei: bigint } | undefined;
  /** Why it does not work now. */
  readonly fault: string | null;
  /** False: providers send from all wallets with coins there, so nothing is relayed. */
  readonly isNeeded: boolean;
}

/** For operators: lists every relayer and how many payments its balance pays for. */
export async function listRunways(db: Queryable): Promise<Runway[]> {
  const rows = await db.query<{
    blockchain: string;
    address: string;
    gas_wei: string;
    gas_price_wei: string;
    needs_wei: string;
    fee_wei: string | null;
    fee_cap_wei: string | null;
    fault: string | null;
    is_needed: boolean;
  }>(
    `SELECT n.blockchain, r.address, coalesce(r.gas_wei, 0)::text AS gas_wei,
            coalesce(r.gas_price_wei, 0)::text AS gas_price_wei, coalesce(r.needs_wei, 0)::text AS needs_wei,
            r.fee_wei::text AS fee_wei, r.fee_cap_wei::text AS fee_cap_wei,
            coalesce('stopped: ' || r.stopped, 'waits for gas: ' || r.trouble,
              (SELECT '${REFUSED}' || c.refusal FROM carriers c WHERE c.relayer_id = r.relayer_id AND c.state = 'pending'
                  AND c.mined_block IS NULL AND c.refusal IS NOT NULL ORDER BY c.nonce LIMIT 1),
              CASE WHEN r.ahead_since IS NOT NULL OR EXISTS (SELECT FROM carriers c WHERE c.relayer_id = r.relayer_id
                     AND c.state = 'pending' AND c.mined_block IS NULL AND c.missing_since IS NOT NULL)
                   THEN '${PASSES_NONCES}' END) AS fault,
            CASE WHEN n.wallet_provider NOT IN (${SENDING}) THEN true
                 ELSE EXISTS (SELECT FROM carriers c WHERE c.relayer_id = r.relayer_id AND c.state = 'pending')
                   OR EXISTS (SELECT FROM assets s JOIN holdings h USING (asset_id) JOIN wallets w USING (wallet_id)
                       WHERE s.network_id = n.network_id AND h.coins > 0 AND w.provider NOT IN (${SENDING})) END AS is_needed
       FROM relayers r JOIN networks n USING (network_id) ORDER BY n.blockchain, r.relayer_id`,
  );
  return rows.map((row) => ({
    blockchain: row.blockchain,
    address: row.address,
    gasWei: BigInt(row.gas_wei),
    payments: countPayments(BigInt(row.gas_wei), BigInt(row.gas_price_wei)),
    thousandWei: costOf(1_000n, BigInt(row.gas_price_wei)),
    needsWei: BigInt(row.needs_wei),
    aboveCap: findExcess(row.fee_wei, row.fee_cap_wei),
    fault: row.fault,
    isNeeded: row.is_needed,
  }));
}

function findExcess(fee: string | null, cap: string | null): Runway['aboveCap'] {
  if (fee === null || cap === null || BigInt(fee) <= BigInt(cap)) return undefined;
  return { feeWei: BigInt(fee), capWei: BigInt(cap) };
}

/** For operators: which setting makes sends wait. */
export const describeExcess = ({ feeWei, capWei }: NonNullable<Runway['aboveCap']>): string =>
  `gas costs ${formatGwei(feeWei)}, and relayers bid at most ${formatGwei(capWei)} (FLORIN_MAX_FEE_GWEI): sends wait until it is cheaper`;
