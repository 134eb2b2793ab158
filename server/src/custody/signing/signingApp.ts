import { NO_CHAIN_ID } from '../../core/families.ts';
import type { Hex, Keyring, ProviderAnswer, Sender, TokenDomain, WalletSource } from '../../core/ports.ts';
import type { WalletProvider } from '../../core/signer.ts';
import type { Db } from '../../db/database.ts';

/** A blockchain as the signer knows it, from its own configuration and never from the database. */
export interface SigningNetwork {
  readonly blockchain: string;
  /** `NO_CHAIN_ID` where there is none. */
  readonly chainId: number;
  readonly tokens: readonly { readonly symbol: string; readonly contract: Hex }[];
  /** The most that it signs for a unit of gas. */
  readonly maxFeePerGasWei: bigint;
}

/** What leaves to addresses, in millionths of each token; undefined: no limit beside those of the ledger. */
export interface SigningLimits {
  readonly payment: bigint | undefined;
  readonly day: bigint | undefined;
}

/** Who makes wallets of people. */
interface WalletMaker extends Pick<WalletSource, 'create' | 'perSecond'> {
  readonly provider: WalletProvider;
}

/** What the signer works with: its own login of the database, and keys. It reaches no chain. */
export interface SigningApp {
  readonly db: Db;
  /** By provider: the wallets it signs for. */
  readonly keyrings: Readonly<Record<string, Keyring>>;
  /** Whose wallets people and the treasury get, first those of the home blockchain. */
  readonly providers: readonly WalletMaker[];
  /** By provider: wallets whose keys are elsewhere and that settlements may go to. */
  readonly others: Readonly<Record<string, Pick<WalletSource, 'list'>>>;
  /** By provider: those that send by themselves. */
  readonly senders: Readonly<Record<string, Sender>>;
  /** Circle's key of this id that it signs webhooks with, DER; undefined where nothing is at Circle. */
  readonly findWebhookKey?:
    | ((keyId: string) => Promise<ProviderAnswer<{ readonly publicKey: Buffer }, string>>)
    | undefined;
  readonly networks: readonly SigningNetwork[];
  readonly limits: SigningLimits;
  /** Logs that somebody who holds keys has not answered. */
  readonly onFault?: (error: unknown, about: string) => void;
}

/** Relayers have keys of our own seed, whoever holds those of people. */
export const OWN_PROVIDER: WalletProvider = 'local';

interface Told {
  readonly blockchain: string;
  readonly chainId: bigint | null;
  readonly contract: Hex | null;
}

/** The network of that name, if the database means the same chain and token by it as the signer's configuration. */
export function findNetwork(app: Pick<SigningApp, 'networks'>, told: Told): SigningNetwork | undefined {
  return app.networks.find(
    (one) =>
      one.blockchain === told.blockchain &&
      (one.chainId === NO_CHAIN_ID ? null : BigInt(one.chainId)) === told.chainId &&
      one.tokens.some(({ contract }) => contract.toLowerCase() === told.contract?.toLowerCase()),
  );
}

/** Chain and contract are the signer's own; only the name comes from the database. Every USDC has version 2. */
export const domainOf = (network: SigningNetwork, contract: Hex, name: string): TokenDomain => ({
  name,
  version: '2',
  chainId: network.chainId,
  verifyingContract: contract,
});

/** Whether the keys make exactly this address of this reference: a row of `wallets` alone proves nothing. */
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
