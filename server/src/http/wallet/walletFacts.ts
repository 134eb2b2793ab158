/** Facts about the service that the server writes into the wallet's page. The wallet imports this type. */
export interface WalletFacts {
  readonly name: string;
  readonly welcome: string | null;
  readonly home_blockchain: string;
  readonly blockchains: readonly {
    readonly blockchain: string;
    readonly chain_id: number;
    readonly usdc_address: string;
  }[];
  /** By blockchain: the URL in front of a transaction's hash. */
  readonly explorers: Readonly<Record<string, string>>;
  readonly support_url: string | null;
  readonly has_logo: boolean;
  /** Null: identity checks are not available. */
  readonly kyc: { readonly kind: 'sumsub' } | { readonly kind: 'page'; readonly url: string } | null;
  readonly sandbox: {
    readonly people: readonly { readonly name: string; readonly email: string }[];
    readonly faucet_url: string;
  } | null;
}
