import { StartFault } from '../fault.ts';
import type { WalletKeys } from '../readOptions.ts';
import type { readRemembered } from '../rememberState.ts';

/** The wallets keep the holder of their keys: later starts use the same one. */
export function chooseWallets(wanted: WalletKeys | undefined, before: ReturnType<typeof readRemembered>): WalletKeys {
  const known = before.wallets ?? (before.signerTokens ? 'local' : undefined);
  if (wanted !== undefined && known !== undefined && wanted !== known) {
    throw new StartFault(
      `This sandbox was started with --wallets ${known}, and its people have such wallets. ` +
        `Start over: npm start -- --fresh --wallets ${wanted}`,
    );
  }
  return wanted ?? known ?? 'local';
}
