/** What the server says about itself; it stands in the page. */
interface Facts {
  readonly name: string;
  readonly welcome: string | null;
  readonly home_blockchain: string;
  readonly blockchains: readonly {
    readonly blockchain: string;
    readonly chain_id: number;
    readonly usdc_address: string;
  }[];
  readonly explorers: Readonly<Record<string, string>>;
  readonly support_url: string | null;
  readonly has_logo: boolean;
  readonly kyc: { readonly kind: 'sumsub' } | { readonly kind: 'page'; readonly url: string } | null;
  readonly sandbox: {
    readonly people: readonly { readonly name: string; readonly email: string }[];
    readonly faucet_url: string;
  } | null;
}

export const facts: Facts = JSON.parse(document.getElementById('facts')!.textContent!) as Facts;
