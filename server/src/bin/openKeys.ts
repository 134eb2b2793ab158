import { circleWallets } from '../adapters/wallets/circle/circleWallets.ts';
import { type Circle, openCircle } from '../adapters/wallets/circle/openCircle.ts';
import { checkWalletSet, getWalletSet } from '../adapters/wallets/circle/walletSets.ts';
import { localWallets } from '../adapters/wallets/local/localWallets.ts';
import { readSeedFile } from '../adapters/wallets/local/seedFile.ts';
import type { Keyring } from '../core/ports.ts';
import type { SigningProvider } from '../core/signer.ts';
import { findWalletSet, type WalletChoice } from '../customers/wallets/serviceWallets.ts';
import type { Db } from '../db/database.ts';
import type { SignerConfig } from './config/signerConfig.ts';

/** Every key that the signer has or may ask for. */
interface SignerKeys {
  readonly seed: Keyring;
  readonly keyrings: Readonly<Record<string, Keyring>>;
  /** Who holds the keys of people's wallets. */
  readonly provider: SigningProvider;
  /** Finds out what only the database or Circle knows. Called before anything is signed. */
  choose(db: Db): Promise<WalletChoice>;
}

export async function openKeys(config: SignerConfig): Promise<SignerKeys> {
  const seed = localWallets(await readSeedFile(config.walletSeedFile, config.walletSecret));
  if (!config.circle) {
    const choice: WalletChoice = { provider: 'local', walletSet: undefined, keys: seed };
    return { seed, keyrings: { local: seed }, provider: 'local', choose: async () => choice };
  }
  const { walletSet: asked } = config.circle;
  const circle = openCircle(config.circle);
  let chosen: string | undefined;
  const keys = circleWallets({ circle, networks: config.networks, walletSetId: () => chosen! });
  return {
    seed,
    keyrings: { local: seed, circle: keys },
    provider: 'circle',
    async choose(db) {
      chosen = await chooseWalletSet(db, circle, asked, seed.fingerprint);
      return { provider: 'circle', walletSet: chosen, keys };
    },
  };
}

/** Circle is asked only at the first start: later ones do not depend on it. */
async function chooseWalletSet(db: Db, circle: Circle, asked: string | undefined, seed: string): Promise<string> {
  const known = await findWalletSet(db);
  if (known && (asked === undefined || asked === known)) return known;
  if (asked === undefined) return getWalletSet(circle, seed);
  await checkWalletSet(circle, asked);
  return asked;
}
