import { createHash } from 'node:crypto';
import { escapeHtml } from '../reference/escapeHtml.ts';

/** What the wallet is told about the service that serves it; it stands in the page. */
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
  /** Undefined: identity checks cannot be made. */
  readonly kyc: { readonly kind: 'sumsub' } | { readonly kind: 'page'; readonly url: string } | null;
  readonly sandbox: {
    readonly people: readonly { readonly name: string; readonly email: string }[];
    readonly faucet_url: string;
  } | null;
}

interface Colours {
  readonly accent?: string | undefined;
  readonly accent_dark?: string | undefined;
}

interface Shell {
  readonly html: string;
  /** For every page but that of identity checks. */
  readonly policy: string;
  readonly kycPolicy: string;
}

/** The page that is the whole wallet, with the brand in it, and what browsers may load for it. */
export function renderShell(template: string, facts: WalletFacts, colours: Colours): Shell {
  const html = template
    .replaceAll('{{name}}', escapeHtml(facts.name))
    .replace('{{theme}}', renderTheme(colours))
    // In a script element only `<` could end it.
    .replace('{{facts}}', JSON.stringify(facts).replaceAll('<', '\\u003c'));
  const styles = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
    ([, text]) => `'sha256-${createHash('sha256').update(text!).digest('base64')}'`,
  );
  const faucet = facts.sandbox ? ` ${new URL(facts.sandbox.faucet_url).origin}` : '';
  const shared = [
    "default-src 'none'",
    `style-src 'self' ${styles.join(' ')}`,
    "img-src 'self' data: blob:",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    html,
    policy: [
      ...shared,
      "script-src 'self'",
      `connect-src 'self'${faucet}`,
      "require-trusted-types-for 'script'",
      'trusted-types florin',
    ].join('; '),
    // The provider's script makes its own frame and loads more, so this page alone allows the provider's hosts.
    kycPolicy: [
      ...shared,
      `script-src 'self' ${SUMSUB}`,
      `connect-src 'self'${faucet} ${SUMSUB}`,
      `frame-src ${SUMSUB}`,
    ].join('; '),
  };
}

const SUMSUB = 'https://static.sumsub.com https://api.sumsub.com https://*.sumsub.com';

/** Checked by the configuration: nothing but colours. */
function renderTheme({ accent, accent_dark: dark = accent }: Colours): string {
  if (accent === undefined || dark === undefined) return '';
  return `:root{--accent:light-dark(${accent},${dark});--on-accent:light-dark(${readableOn(accent)},${readableOn(dark)})}`;
}

/** Black or white, whichever is easier to read on this colour (WCAG's relative luminance). */
function readableOn(colour: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#ffffff';
}
