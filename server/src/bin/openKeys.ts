import { localWallets } from '../adapters/wallets/local/localWallets.ts';
import { readSeedFile } from '../adapters/wallets/local/seedFile.ts';
import { ADAPTERS, OWN_PROVIDER } from '../adapters/wallets/providers.ts';
import { familyOf } from '../core/families.ts';
import type { Keyring } from '../core/ports.ts';
import type { AdapterApp, OpenAdapter, ProviderAdapter, WalletMaker } from '../core/providers.ts';
import { openLookups } from '../custody/signing/openLookups.ts';
import type { SigningApp } from '../custody/signing/signingApp.ts';
import { findAccounts, type WalletChoice } from '../customers/wallets/serviceWallets.ts';
import type { Db } from '../db/database.ts';
import type { SignerConfig } from './config/signerConfig.ts';

/** Every key that the signer has or can request. */
interface SignerKeys extends Pick<SigningApp, 'keyrings' | 'providers' | 'others' | 'senders' | 'webhookKeys'> {
  readonly seed: Keyring;
  /** Reads the settings that only the database or an outside party knows. Called before anything is signed. */
  choose(db: Db, onMessage: (message: string) => void): Promise<WalletChoice>;
}

interface Opened extends OpenAdapter {
  readonly adapter: ProviderAdapter<never>;
  /** Its rate limit is in the database. */
  useDatabase(db: Db): void;
}

export async function openKeys(config: SignerConfig): Promise<SignerKeys> {
  const seed = localWallets(await readSeedFile(config.walletSeedFile, config.walletSecret));
  const opened = ADAPTERS.flatMap((adapter) => openAdapter(adapter, config, seed) ?? []);
  const makers = listMakers(config, seed, opened);
  const { provider, networks } = config.wallets;
  const accountVariables = opened.map(({ adapter }) => adapter.accountVariables).join(', ') || undefined;
  const choice = { provider, networks, from: config.walletsFrom, accountVariables };
  return {
    seed,
    keyrings: Object.assign({ [OWN_PROVIDER]: seed }, ...opened.map(({ keyrings }) => keyrings)),
    providers: makers,
    others: Object.assign({}, ...opened.map(({ others }) => others)),
    senders: Object.assign({}, ...opened.map(({ senders }) => senders)),
    webhookKeys: Object.fromEntries(
      opened.flatMap(({ adapter, findWebhookKey }) => (findWebhookKey ? [[adapter.name, findWebhookKey]] : [])),
    ),
    async choose(db, onMessage) {
      const known = await findAccounts(db, seed.fingerprint, choice);
      const accounts: Record<string, string> = {};
      for (const one of opened) {
        one.useDatabase(db);
        const offered = Object.keys(one.adapter.rails);
        const account = await one.choose(known[offered.find((name) => known[name] !== undefined) ?? ''], onMessage);
        for (const name of offered) accounts[name] = account;
      }
      return { ...choice, accounts, makers };
    },
  };
}

/** Undefined: no wallets are there. */
function openAdapter(adapter: ProviderAdapter<never>, config: SignerConfig, seed: Keyring): Opened | undefined {
  const given = config.providers[adapter.name];
  if (given === undefined) return undefined;
  let lookups: AdapterApp['takeLookup'] | undefined;
  const opened = adapter.open(given as never, {
    networks: config.networks,
    seedFingerprint: seed.fingerprint,
    takeLookup: async (priority) => lookups?.(priority),
  });
  return {
    ...opened,
    adapter,
    useDatabase(db) {
      lookups ??= openLookups(db, adapter);
    },
  };
}

/** The makers of people's and the treasury's wallets; the home blockchain's comes first. */
function listMakers({ wallets }: SignerConfig, seed: Keyring, opened: readonly Opened[]): WalletMaker[] {
  const own: WalletMaker = { ...seed, provider: OWN_PROVIDER };
  const all: Record<string, WalletMaker> = Object.assign(
    { [OWN_PROVIDER]: own },
    ...opened.map(({ makers }) => makers),
  );
  const named = Object.entries(wallets.networks).filter(([blockchain]) => familyOf(blockchain) === 'evm');
  const used = new Set([wallets.home, wallets.provider, ...named.map(([, name]) => name)]);
  return [...[...used].map((name) => all[name]!), ...opened.flatMap(({ unwatchedMakers }) => unwatchedMakers)];
}
