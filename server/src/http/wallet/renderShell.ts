import { createHash } from 'node:crypto';
import { escapeHtml } from '../reference/escapeHtml.ts';
import type { WalletFacts } from './walletFacts.ts';

interface Colours {
  readonly accent?: string | undefined;
  readonly accent_dark?: string | undefined;
}

/** The headers Content-Security-Policy and Permissions-Policy of a page. */
interface Policies {
  readonly content: string;
  readonly permissions: string;
}

interface Shell {
  readonly html: string;
  /** For every page except identity checks. */
  readonly usual: Policies;
  readonly kyc: Policies;
}

/** The single page of the wallet, with the brand, and the policy for browsers. */
export function renderShell(template: string, facts: WalletFacts, colours: Colours): Shell {
  const html = template
    .replaceAll('{{name}}', escapeHtml(facts.name))
    .replace('{{theme}}', renderTheme(colours))
    // The sandbox shows a banner above everything; the line takes its space before its text is loaded.
    .replace('{{banners}}', facts.sandbox ? '<div class="banners"><p class="banner play">&nbsp;</p></div>' : '')
    // In a script element only `<` could end it.
    .replace('{{facts}}', JSON.stringify(facts).replaceAll('<', '\\u003c'));
  const styles = hashAll(html, /<style>([\s\S]*?)<\/style>/g);
  // The only inline script: it requests the session while the other scripts load.
  const scripts = hashAll(html, /<script>([\s\S]*?)<\/script>/g);
  const faucet = facts.sandbox ? ` ${new URL(facts.sandbox.faucet_url).origin}` : '';
  const shared = [
    "default-src 'none'",
    `style-src 'self' ${styles}`,
    "img-src 'self' data: blob:",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    html,
    usual: {
      content: [
        ...shared,
        `script-src 'self' ${scripts}`,
        `connect-src 'self'${faucet}`,
        "require-trusted-types-for 'script'",
        'trusted-types florin',
      ].join('; '),
      permissions: 'camera=(self), microphone=(), geolocation=(), payment=()',
    },
    // The provider's script creates its own frame, which loads more and in which people film their face and their
    // documents. Only this page allows that.
    kyc: {
      content: [
        ...shared,
        `script-src 'self' ${scripts} ${SUMSUB.join(' ')}`,
        `connect-src 'self'${faucet} ${SUMSUB.join(' ')}`,
        `frame-src ${SUMSUB.join(' ')}`,
      ].join('; '),
      permissions: `camera=(self ${FILMING}), microphone=(${FILMING}), geolocation=(), payment=()`,
    },
  };
}

/** The policy entries for the texts that `form` finds. */
export const hashAll = (html: string, form: RegExp): string =>
  [...html.matchAll(form)]
    .map(([, text]) => `'sha256-${createHash('sha256').update(text!).digest('base64')}'`)
    .join(' ');

const SUMSUB = ['https://static.sumsub.com', 'https://api.sumsub.com', 'https://*.sumsub.com'];
const FILMING = SUMSUB.map((host) => `"${host}"`).join(' ');

/** The configuration accepts only colours here. */
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
