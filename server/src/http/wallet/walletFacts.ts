/** What the web wallet is told about the service that serves it; it stands in the page. The wallet imports this type. */
export interface WalletFacts {
  readonly name: string;
  readonly welcome: string | null;
  readonly home_blockchain: string;
  readonly blockchains: readonly {
    readonly blockchain: string;
    readonly chain_id: number;
    readonly usdc_address: string;
  }[];
  /** By blockchain: what stands before the hash of a transaction. */
  readonly explorers: Readonly<Record<string, string>>;
  readonly support_url: string | null;
  readonly has_logo: boolean;
  /** Null: identity checks cannot be made. */
  readonly kyc: { readonly kind: 'sumsub' } | { readonly kind: 'page'; readonly url: string } | null;
  readonly sandbox: {
    readonly people: readonly { readonly name: string; readonly email: string }[];
    readonly faucet_url: string;
  } | null;
}
