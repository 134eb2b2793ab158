import type { IssuerRule } from '../../../adapters/identity/issuerRule.ts';
import type { Values } from '../variables.ts';

export interface WalletConfig {
  readonly port: number;
  /** The wallet's URL; undefined in the sandbox, which accepts any name of this machine. */
  readonly url: string | undefined;
  readonly login: {
    readonly issuer: string;
    readonly clientId: string;
    readonly clientSecret: string | undefined;
  };
  readonly brand: NonNullable<Values['FLORIN_WALLET_BRAND']>;
  readonly sandbox: Values['FLORIN_WALLET_SANDBOX'];
}

/** The faults of the wallet's variables; `issuers` are those whose ID tokens are accepted. */
export function findWalletFaults(values: Partial<Values>): string[] {
  const isProduction = values.FLORIN_MODE !== 'sandbox';
  const faults: string[] = [];
  if (values.FLORIN_WALLET_SANDBOX && isProduction)
    faults.push('FLORIN_WALLET_SANDBOX is only for the sandbox: with it, anyone can log in as anyone');
  if (values.FLORIN_WALLET_PORT === undefined || !isProduction) return faults;
  if (!values.FLORIN_WALLET_URL) faults.push('FLORIN_WALLET_URL is missing: FLORIN_WALLET_PORT needs it');
  else if (!values.FLORIN_WALLET_URL.startsWith('https://')) faults.push('FLORIN_WALLET_URL must use https');
  return faults;
}

/** Undefined: the wallet is not served. A string: why it cannot be served. */
export function toWallet(values: Values, issuers: readonly IssuerRule[]): WalletConfig | undefined | string {
  if (values.FLORIN_WALLET_PORT === undefined) return undefined;
  const wanted = values.FLORIN_WALLET_ISSUER?.replace(/\/$/, '');
  const rule = issuers.find(({ issuers: names }) => names.some((name) => name.replace(/\/$/, '') === wanted));
  const used = wanted === undefined ? issuers[0] : rule;
  if (!used) return 'FLORIN_WALLET_ISSUER is not one of the issuers whose ID tokens are accepted';
  return {
    port: values.FLORIN_WALLET_PORT,
    url: values.FLORIN_WALLET_URL,
    login: {
      issuer: used.issuers[0],
      clientId: used.audiences[0]!,
      clientSecret: values.FLORIN_WALLET_CLIENT_SECRET,
    },
    brand: values.FLORIN_WALLET_BRAND ?? {},
    sandbox: values.FLORIN_WALLET_SANDBOX,
  };
}
