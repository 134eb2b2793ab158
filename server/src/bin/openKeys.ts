import { circleAccounts, listTogether } from '../adapters/wallets/circle/circleAccounts.ts';
import { circleTransfers } from '../adapters/wallets/circle/circleTransfers.ts';
import { circleWallets } from '../adapters/wallets/circle/circleWallets.ts';
import { fetchWebhookKey } from '../adapters/wallets/circle/circleWebhooks.ts';
import { type Circle, openCircle } from '../adapters/wallets/circle/openCircle.ts';
import { checkWalletSet, getWalletSet } from '../adapters/wallets/circle/walletSets.ts';
import { localWallets } from '../adapters/wallets/local/localWallets.ts';
import { readSeedFile } from '../adapters/wallets/local/seedFile.ts';
import { familyOf } from '../core/families.ts';
import type { Keyring } from '../core/ports.ts';
import type { WalletProvider } from '../core/signer.ts';
import { openLookups } from '../custody/signing/openLookups.ts';
import type { SigningApp } from '../custody/signing/signingApp.ts';
import { chooseOwnKeys, findWalletSet, type WalletChoice } from '../customers/wallets/serviceWallets.ts';
import type { Db } from '../db/database.ts';
import type { CircleConfig } from './config/circleConfig.ts';
import type { SignerConfig } from './config/signerConfig.ts';

/** Every key that the signer has or can request. */
interface SignerKeys extends Pick<SigningApp, 'keyrings' | 'providers' | 'others' | 'senders' | 'findWebhookKey'> {
  readonly seed: Keyring;
  /** Reads the settings that only the database or Circle knows. Called before anything is signed. */
  choose(db: Db, onNews: (says: string) => void): Promise<WalletChoice>;
}

export async function openKeys(config: SignerConfig): Promise<SignerKeys> {
  const seed = localWallets(await readSeedFile(config.walletSeedFile, config.walletSecret));
  if (config.circle) return openAtCircle(config, config.circle, seed);
  return {
    seed,
    keyrings: { local: seed },
    providers: [{ ...seed, provider: 'local' }],
    others: {},
    senders: {},
    choose: async () => ({ ...chooseOwnKeys(seed), from: config.walletsFrom }),
  };
}

function openAtCircle(config: SignerConfig, given: CircleConfig, seed: Keyring): SignerKeys {
  const { wallets, networks } = config;
  const circle = openCircle(given);
  let chosen: string | undefined;
  let lookups: ReturnType<typeof openLookups> | undefined;
  const shared = {
    circle,
    isTest: given.apiKey.startsWith('TEST_'),
    walletSetId: () => chosen!,
    takeLookup: async (haste: 'first' | 'yielding') => lookups?.(haste),
  };
  const { accountType, feeLevel } = given;
  const signing = circleWallets({
    ...shared,
    networks: networks.filter(({ blockchain }) => familyOf(blockchain) === 'evm'),
  });
  const accounts = circleAccounts({ ...shared, provider: 'circle_send', accountType });
  const families = [...new Set(networks.map(({ blockchain }) => familyOf(blockchain)))].filter((one) => one !== 'evm');
  const elsewhere = families.map((family) => ({
    ...circleAccounts({ ...shared, provider: 'circle_send', accountType: 'EOA', family }),
    provider: 'circle_send' as const,
    family,
  }));
  const all = {
    local: { ...seed, provider: 'local' },
    circle: { ...signing, provider: 'circle' },
    circle_send: { ...accounts, provider: 'circle_send' },
  } as const;
  const named = Object.entries(wallets.networks).filter(([blockchain]) => familyOf(blockchain) === 'evm');
  const used: WalletProvider[] = [wallets.home, wallets.provider, ...named.map(([, name]) => name)];
  const makers = [...[...new Set(used)].map((name) => all[name]), ...elsewhere];
  return {
    seed,
    keyrings: { local: seed, circle: signing },
    providers: makers,
    others: { circle_send: listTogether([accounts, ...elsewhere]) },
    senders: {
      circle_send: circleTransfers({
        ...shared,
        accounts,
        elsewhere: Object.fromEntries(elsewhere.map((one) => [one.family, one])),
        accountType,
        feeLevel,
      }),
    },
    async findWebhookKey(keyId) {
      await shared.takeLookup('yielding');
      return fetchWebhookKey(circle, keyId);
    },
    async choose(db, onNews) {
      lookups ??= openLookups(db);
      const choice = { provider: wallets.provider, networks: wallets.networks, from: config.walletsFrom };
      const known = await findWalletSet(db, seed.fingerprint, choice);
      chosen = await chooseWalletSet(circle, known, given.walletSet, seed.fingerprint, onNews);
      return { ...choice, walletSet: chosen, makers };
    },
  };
}

/** Circle is called only at the first start; later starts do not depend on it. */
async function chooseWalletSet(
  circle: Circle,
  known: string | undefined,
  asked: string | undefined,
  seed: string,
  onNews: (says: string) => void,
): Promise<string> {
  if (known && (asked === undefined || asked === known)) return known;
  if (asked !== undefined) {
    await checkWalletSet(circle, asked);
    return asked;
  }
  const found = await getWalletSet(circle, seed);
  onNews(`the wallet set of this installation at Circle is ${found}: store it as FLORIN_CIRCLE_WALLET_SET`);
  return found;
}
