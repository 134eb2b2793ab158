/**
 * `wallet` serves the web wallet: its files, its page, and its session (`walletSession.ts`), on the same origin as the
 * Backend API. The wallet itself is the package `web/wallet`; this folder uses only its built files.
 */
import type { IncomingMessage } from 'node:http';
import type { Site, SitePage } from '../contract/createApi.ts';
import type { Visit } from '../contract/operation.ts';
import { parseTarget, reportFailure } from './beginLogin.ts';
import { readFiles, sendFile, toServed } from './readFiles.ts';
import { renderShell } from './renderShell.ts';
import type { WalletFacts } from './walletFacts.ts';
import type { WalletSession } from './walletSession.ts';

interface WalletSiteOptions {
  readonly facts: WalletFacts;
  readonly colours: { readonly accent?: string | undefined; readonly accent_dark?: string | undefined };
  /** The text of an SVG. */
  readonly logo: string | undefined;
  readonly session: WalletSession;
  /** Throws until the service can answer. */
  readonly beReady: () => void;
}

type SessionCall = (request: IncomingMessage, query: URLSearchParams, visit: Visit) => Promise<SitePage>;

const FOR_EVER = ['Cache-Control', 'public, max-age=31536000, immutable'];
const ASK_AGAIN = ['Cache-Control', 'no-cache'];
/** A service worker follows the policy of its own file, and this worker fetches the wallet's files. */
const WORKER = [...ASK_AGAIN, 'Content-Security-Policy', "default-src 'none'; connect-src 'self'"];

/** Pages that people reach by a link that someone gave them. No search engine lists them; no page sends a referrer. */
const isLink = (path: string): boolean => /^\/(pay|requests)\//.test(path);
const UNLISTED = ['X-Robots-Tag', 'noindex, nofollow, noarchive'];

const chooseHeaders = (path: string): readonly string[] =>
  isHashed(path) ? FOR_EVER : path === '/sw.js' ? WORKER : ASK_AGAIN;

/** Built files of the wallet have their content's hash in their name. */
const isHashed = (path: string): boolean => path.startsWith('/assets/');

export function createWalletSite(options: WalletSiteOptions): Site {
  const { session, beReady } = options;
  const files = readFiles();
  if (!files) throw new Error('the wallet is not built: npm run build -w @florin/wallet');
  const shell = renderShell(files.get('/index.html')!.plain.toString('utf8'), options.facts, options.colours);
  const page = toServed('.html', Buffer.from(shell.html));
  files.delete('/index.html');
  if (options.logo !== undefined) files.set('/logo.svg', toServed('.svg', Buffer.from(options.logo)));
  files.set('/manifest.webmanifest', toServed('.webmanifest', Buffer.from(renderManifest(options.facts))));

  function sendShell(request: IncomingMessage, path: string): SitePage {
    const { content, permissions } = path === '/verify' ? shell.kyc : shell.usual;
    return sendFile(request, page, [
      ...ASK_AGAIN,
      ...(isLink(path) ? UNLISTED : []),
      'Content-Security-Policy',
      content,
      'Cross-Origin-Opener-Policy',
      'same-origin',
      'Permissions-Policy',
      permissions,
    ]);
  }

  const calls: Readonly<Record<string, SessionCall>> = {
    'GET /session/login': (request, query) => session.begin(request, query),
    'GET /callback': (request, query, visit) => session.finish(request, query, visit),
    'POST /session/open': (request, _, visit) => session.open(request, visit),
    'POST /session/refresh': (request, _, visit) => session.refresh(request, visit),
    'POST /session/end': (request) => session.end(request),
  };

  return (request, path, query, visit) => {
    const { method = '' } = request;
    const call = calls[`${method} ${path}`];
    if (call) {
      const answer = async () => {
        beReady();
        return call(request, new URLSearchParams(query), visit);
      };
      // A browser shows what GET answers. So a failed login leads to the wallet's page, not to a problem document.
      const target = () => parseTarget(new URLSearchParams(query).get('to'));
      const report = (error: unknown) => reportFailure(error, target());
      return { route: path, page: method === 'GET' ? answer().catch(report) : answer() };
    }
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    const file = files.get(path);
    if (file) return { route: '/{file}', page: sendFile(request, file, chooseHeaders(path)) };
    // Every other path is a screen of the wallet, and the wallet reports unknown screens.
    const isScreen = !/^\/(api|session|assets|webhooks)\b|\.\w+$/.test(path);
    return isScreen ? { route: '/{screen}', page: sendShell(request, path) } : undefined;
  };
}

/** What a long press on the icon offers. */
const SHORTCUTS = [
  { name: 'Send', url: '/send' },
  { name: 'Receive', url: '/receive' },
  { name: 'Ask for money', url: '/ask' },
];

const renderManifest = ({ name, has_logo }: WalletFacts): string =>
  JSON.stringify({
    name,
    short_name: name,
    description: `${name}: pay people and addresses in USDC`,
    id: '/',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    orientation: 'any',
    categories: ['finance'],
    // The paper of `theme.css`, so that starting does not flash.
    background_color: '#f7f6f3',
    theme_color: '#f7f6f3',
    shortcuts: SHORTCUTS,
    icons: [
      ...(has_logo ? [{ src: '/logo.svg', sizes: 'any', type: 'image/svg+xml' }] : []),
      { src: '/icon.svg', sizes: 'any', type: 'image/svg+xml' },
      { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
      { src: '/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any maskable' },
    ],
  });
