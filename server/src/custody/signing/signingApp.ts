import { NO_CHAIN_ID } from '../../core/families.ts';
import type { Hex, Keyring, TokenDomain, WalletSource } from '../../core/ports.ts';
import type { OpenAdapter, ProviderSender, WalletMaker } from '../../core/providers.ts';
import type { Db } from '../../db/database.ts';

/** A blockchain from the signer's own configuration, never from the database. */
export interface SigningNetwork {
  readonly blockchain: string;
  /** `NO_CHAIN_ID` for a chain without one. */
  readonly chainId: number;
  readonly tokens: readonly { readonly symbol: string; readonly contract: Hex }[];
  /** The highest price per unit of gas that it signs. */
  readonly maxFeePerGasWei: bigint;
  /** On an unwatched chain: the provider that sends and reports there. */
  readonly provider?: string | undefined;
}

/** Limits on coins sent to addresses, in millionths of each token; undefined: no limit besides those of the ledger. */
export interface SigningLimits {
  readonly payment: bigint | undefined;
  readonly day: bigint | undefined;
}

/** The signer's dependencies: its own database login, and keys. It has no access to a chain. */
export interface SigningApp {
  readonly db: Db;
  /** By provider: the wallets it signs for. */
  readonly keyrings: Readonly<Record<string, Keyring>>;
  /** The providers of wallets for people and the treasury; the home blockchain's provider comes first. */
  readonly providers: readonly Omit<WalletMaker, 'referenceOf'>[];
  /** By provider: wallets whose keys the signer does not have and that settlements may go to. */
  readonly others: Readonly<Record<string, Pick<WalletSource, 'list'>>>;
  /** By provider: those that send by themselves. */
  readonly senders: Readonly<Record<string, ProviderSender>>;
  /** By adapter: finds the keys of its webhooks. */
  readonly webhookKeys?: Readonly<Record<string, NonNullable<OpenAdapter['findWebhookKey']>>>;
  readonly networks: readonly SigningNetwork[];
  readonly limits: SigningLimits;
  /** Logs that a key holder has not answered. */
  readonly onFault?: (error: unknown, about: string) => void;
}

interface NetworkIdentity {
  readonly blockchain: string;
  readonly chainId: bigint | null;
  readonly contract: Hex | null;
}

/**
 * Returns the network of that name if the database has the same chain and token for it as the signer's configuration.
 */
export function findNetwork(app: Pick<SigningApp, 'networks'>, wanted: NetworkIdentity): SigningNetwork | undefined {
  return app.networks.find(
    (one) =>
      one.blockchain === wanted.blockchain &&
      (one.chainId === NO_CHAIN_ID ? null : BigInt(one.chainId)) === wanted.chainId &&
      one.tokens.some(({ contract }) => contract.toLowerCase() === wanted.contract?.toLowerCase()),
  );
}

/**
 * Chain and contract come from the signer's configuration; only the name comes from the database. Every USDC has
 * version 2.
 */
export const domainOf = (network: SigningNetwork, contract: Hex, name: string): TokenDomain => ({
  name,
  version: '2',
  chainId: network.chainId,
  verifyingContract: contract,
});

/** Checks that the keys produce exactly this address for this reference: a row of `wallets` alone proves nothing. */
export async function isOwnWallet(
  app: Pick<SigningApp, 'keyrings' | 'others'>,
  provider: string | null,
  reference: string | null,
  address: string | null,
): Promise<boolean> {
  const wallets = app.keyrings[provider ?? ''] ?? app.others[provider ?? ''];
  const [known] = reference === null || !wallets ? [] : await wallets.list([reference]);
  return known !== undefined && known.address === address;
}
