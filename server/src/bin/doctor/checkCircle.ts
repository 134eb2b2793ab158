import { openCircle } from '../../adapters/wallets/circle/openCircle.ts';
import { checkEntity, checkWalletSet } from '../../adapters/wallets/circle/walletSets.ts';
import type { CircleConfig } from '../config/circleConfig.ts';
import { describeCircle } from './describeCircle.ts';
import { describeError, type Finding, fault, ok } from './finding.ts';

/**
 * Whether Circle answers, accepts the API key and knows the wallet set. The entity secret can only be checked by using
 * it.
 */
export async function checkCircle(config: CircleConfig): Promise<Finding[]> {
  const circle = openCircle({ ...config, timeoutMs: 3_000 });
  const { host } = new URL(config.url);
  try {
    await checkEntity(circle);
    if (config.walletSet) await checkWalletSet(circle, config.walletSet);
    return [ok('signer', `Circle answers at ${host}${config.walletSet ? ' and knows the wallet set' : ''}`)];
  } catch (error) {
    const { says, mend } = describeCircle(error) ?? { says: describeError(error), mend: 'docs/guides/circle.md' };
    return [fault('signer', `${host}: ${says}`, mend)];
  }
}
