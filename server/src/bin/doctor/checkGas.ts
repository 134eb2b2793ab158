import { larger } from '../../core/bigints.ts';
import { formatCoins } from '../../core/money.ts';
import {
  describeExcess,
  listRunways,
  PASSES_NONCES,
  REFUSED,
  type Runway,
} from '../../custody/eip3009/relaying/listRunways.ts';
import type { Db } from '../../db/database.ts';
import type { NetworkConfig } from '../config/chains.ts';
import { findUsualGas } from '../config/usualGas.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const FEW_PAYMENTS = 100n;

/** The gas that a relayer lacks for a thousand payments, or to get any work at all. */
export function findMissingGas(
  { blockchain, gasWei, thousandWei, needsWei }: Runway,
  given: readonly NetworkConfig[],
): bigint {
  const network = given.find((one) => one.blockchain === blockchain);
  const least = network ? (network.minGasWei ?? findUsualGas(blockchain, network.chainId)?.minGasWei ?? 0n) : 0n;
  const wanted = [thousandWei, needsWei, least].reduce(larger);
  return wanted > gasWei ? wanted - gasWei : 0n;
}

export async function checkGas(db: Db, given: readonly NetworkConfig[]): Promise<Finding[]> {
  const runways = await listRunways(db);
  const without = given
    .filter(({ blockchain }) => !runways.some((one) => one.blockchain === blockchain))
    .map(({ blockchain }) =>
      warning(
        'gas',
        `${blockchain} has no relayer yet to pay for gas`,
        'florin worker registers relayers when it starts',
      ),
    );
  return [...runways.map((one) => judge(one, findMissingGas(one, given))), ...findHighFees(runways), ...without];
}

/** Once per blockchain: its relayers have the same price and the same cap. */
const findHighFees = (runways: readonly Runway[]): Finding[] =>
  runways
    .filter((one, i) => runways.findIndex(({ blockchain }) => blockchain === one.blockchain) === i)
    .flatMap(({ blockchain, aboveCap, isNeeded }) =>
      aboveCap && isNeeded ? [warning('gas', `${blockchain}: ${describeExcess(aboveCap)}`, RAISE_CAP)] : [],
    );

const RAISE_CAP =
  'wait, or raise FLORIN_MAX_FEE_GWEI (max_fee_gwei in FLORIN_CHAINS) of the signers first, then of the workers';

function judge(one: Runway, missing: bigint): Finding {
  const { blockchain, address, gasWei, payments, fault: trouble } = one;
  if (!one.isNeeded) return ok('gas', `${blockchain}: relayer ${address} has nothing to send and needs no gas`);
  const has = `${blockchain}: relayer ${address} has ${formatCoins(gasWei)} coins${payments === undefined ? '' : `, enough for ${payments} payments`}`;
  const send = `send ${formatCoins(missing)} coins to ${address} on ${blockchain} (florin relayer fund-address ${blockchain})`;
  if (trouble?.startsWith('stopped'))
    return fault(
      'gas',
      `${has}; ${trouble}`,
      `after you have found the cause: florin relayer restart ${blockchain} ${address}`,
    );
  if (trouble?.startsWith(REFUSED))
    return fault(
      'gas',
      `${has}; the signer does not sign its next transaction: ${trouble.slice(REFUSED.length)}`,
      'give signers and workers the same FLORIN_CHAINS and FLORIN_MAX_FEE_GWEI (docs/operating/signer.md)',
    );
  if (trouble === PASSES_NONCES && gasWei > 0n && payments !== 0n)
    return warning(
      'gas',
      `${has}; ${trouble}`,
      'nothing, if the database was restored: docs/operating/restore.md; otherwise find out who has its key',
    );
  if (trouble || gasWei === 0n || payments === 0n) return fault('gas', trouble ? `${has}; ${trouble}` : has, send);
  if (payments !== undefined && payments < FEW_PAYMENTS) return warning('gas', has, send);
  return ok('gas', has);
}
