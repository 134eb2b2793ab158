import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { codeFlow } from '../adapters/identity/codeFlow.ts';
import type { PasskeySite } from '../customers/passkeys/verifyPasskey.ts';
import type { Site } from '../http/contract/createApi.ts';
import type { BrowserRules } from '../http/contract/createGuard.ts';
import { chooseCookies } from '../http/wallet/cookies.ts';
import { createWalletSite } from '../http/wallet/createWalletSite.ts';
import { openWalletSession, type WalletSessionApp } from '../http/wallet/walletSession.ts';
import type { Config } from './config/config.ts';

type WalletConfig = NonNullable<Config['wallet']>;

/** The sandbox's wallet has this name too: browsers refuse passkeys for IP addresses. */
const SANDBOX_HOST = 'wallet.localhost';

export const choosePasskeySite = ({ url, brand }: WalletConfig): PasskeySite => ({
  rpId: url === undefined ? SANDBOX_HOST : new URL(url).hostname,
  name: brand.name ?? 'Florin',
  origin: url,
});

/** Explorers for transactions of public blockchains, unless the configuration names others. */
export const EXPLORERS: Readonly<Record<string, string>> = {
  ETH: 'https://etherscan.io/tx/',
  'ETH-SEPOLIA': 'https://sepolia.etherscan.io/tx/',
  BASE: 'https://basescan.org/tx/',
  'BASE-SEPOLIA': 'https://sepolia.basescan.org/tx/',
  ARB: 'https://arbiscan.io/tx/',
  'ARB-SEPOLIA': 'https://sepolia.arbiscan.io/tx/',
  MATIC: 'https://polygonscan.com/tx/',
  'MATIC-AMOY': 'https://amoy.polygonscan.com/tx/',
  AVAX: 'https://snowtrace.io/tx/',
  'AVAX-FUJI': 'https://testnet.snowtrace.io/tx/',
  OP: 'https://optimistic.etherscan.io/tx/',
  'OP-SEPOLIA': 'https://sepolia-optimism.etherscan.io/tx/',
};

/** These operations are for other services, so the wallet's origin does not offer them. */
const isOfPeople = (operation: string): boolean => !/webhook|payout|^hear_/.test(operation);

export const choosePeoplesOperations = <T>(operations: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(operations).filter(([name]) => isOfPeople(name)));

/** The wallet's pages and session, and the host names it answers to. */
export function openWallet(
  config: Config,
  wallet: WalletConfig,
  app: WalletSessionApp,
  beReady: () => void,
): { readonly site: Site; readonly browsers: BrowserRules } {
  const { brand, sandbox, url } = wallet;
  const isSandbox = config.mode === 'sandbox';
  const originOf = (request: IncomingMessage): string => url ?? `http://${request.headers.host}`;
  const session = openWalletSession(
    app,
    codeFlow(wallet.login),
    // Cookies ignore the port, so without `__Host-` another program of this machine could have the same name.
    url?.startsWith('https:') ? chooseCookies(true) : chooseCookies(false, `florin-wallet-${wallet.port}`),
    originOf,
  );
  const facts = {
    name: brand.name ?? 'Florin',
    welcome: brand.welcome ?? null,
    home_blockchain: config.homeBlockchain,
    blockchains: config.chains.map(({ blockchain, chainId, tokens }) => ({
      blockchain,
      chain_id: chainId,
      usdc_address: tokens[0]!.contract,
    })),
    // The sandbox's blockchains have the names of public ones, but public explorers do not have its transactions.
    explorers: brand.explorers ?? (isSandbox ? {} : EXPLORERS),
    support_url: brand.support_url ?? null,
    has_logo: brand.logo_file !== undefined,
    kyc: !config.sumsub
      ? null
      : sandbox
        ? { kind: 'page' as const, url: sandbox.kyc_url }
        : { kind: 'sumsub' as const },
    sandbox: sandbox ? { people: sandbox.people, faucet_url: sandbox.faucet_url } : null,
  };
  const site = createWalletSite({
    facts,
    colours: brand,
    logo: brand.logo_file === undefined ? undefined : readFileSync(brand.logo_file, 'utf8'),
    session,
    beReady,
  });
  const hosts = [url === undefined ? SANDBOX_HOST : new URL(url).hostname];
  return { site, browsers: { hosts, origins: url === undefined ? [] : [url], loopback: isSandbox } };
}
