/**
 * `console` serves the operator console: its built files, its page, its login (`consoleLogin.ts`), and what it reads
 * (`reading.ts`), on an origin of its own. The console itself is the package `web/console`.
 */
import type { IncomingMessage } from 'node:http';
import { PayError } from '../../core/errors.ts';
import type { Site, SitePage } from '../contract/createApi.ts';
import { createRouter } from '../contract/createRouter.ts';
import type { Visit } from '../contract/operation.ts';
import { readBody } from '../contract/readBody.ts';
import { escapeHtml } from '../reference/escapeHtml.ts';
import { parseTarget, reportFailure } from '../wallet/beginLogin.ts';
import { type readFiles, sendFile, toServed } from '../wallet/readFiles.ts';
import { hashAll } from '../wallet/renderShell.ts';
import type { ConsoleFacts } from './consoleFacts.ts';
import { ConsoleFault, invalid, renderFault } from './consoleFault.ts';
import type { ConsoleLogin } from './consoleLogin.ts';
import { answerReading, type Reading } from './reading.ts';

interface ConsoleSiteOptions {
  readonly facts: ConsoleFacts;
  readonly login: ConsoleLogin;
  readonly readings: readonly Reading[];
  readonly originOf: (request: IncomingMessage) => string;
  /** Turns an error of a command into one of the console's; any other error is returned as it is. */
  readonly explain: (error: unknown) => unknown;
  /** Throws until the database fits. */
  readonly beReady: () => void;
  /** The built files; undefined: the page is missing, and only its server answers. */
  readonly files: ReturnType<typeof readFiles>;
}

const FOR_EVER = ['Cache-Control', 'public, max-age=31536000, immutable'];
const ASK_AGAIN = ['Cache-Control', 'no-cache'];
const BODY_BYTES = 4_096;

export function createConsoleSite(options: ConsoleSiteOptions): Site {
  const { login, files, beReady } = options;
  const shell = files && renderShell(files.get('/index.html')!.plain.toString('utf8'), options.facts);
  const page = shell && toServed('.html', Buffer.from(shell.html));
  files?.delete('/index.html');
  const router = createRouter(
    options.readings.map((reading) => ({ template: reading.path, method: 'GET', target: reading })),
  );

  async function read(request: IncomingMessage, path: string, query: string, visit: Visit): Promise<SitePage> {
    const match = router.find(path);
    const reading = match?.route.targets.get('GET');
    if (!reading) throw new ConsoleFault('console.unknown', `There is no ${path}.`);
    const caller = await login.authorize(request, visit);
    return answerReading(reading, caller, match!.params, new URLSearchParams(query));
  }

  /** Any request carries the cookie, so only those of our own pages may change something. */
  function refuseForeign(request: IncomingMessage): void {
    if (request.headers.origin !== options.originOf(request)) throw new PayError('request.origin');
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
      throw invalid('The content type must be application/json.');
  }

  type Call = (request: IncomingMessage, query: string, visit: Visit) => Promise<SitePage>;
  const calls: Readonly<Record<string, Call>> = {
    'GET /session/login': (request, query) => login.begin(request, new URLSearchParams(query)),
    'GET /callback': (request, query, visit) => login.finish(request, new URLSearchParams(query), visit),
    'GET /api/session': (request, _, visit) => login.readState(request, visit),
    'POST /session/password': async (request, _, visit) => {
      refuseForeign(request);
      return login.givePassword(request, visit, await readPassword(request));
    },
    'POST /session/end': async (request, _, visit) => {
      refuseForeign(request);
      return login.end(request, visit);
    },
  };

  async function answer(work: () => Promise<SitePage>): Promise<SitePage> {
    try {
      beReady();
      return await work();
    } catch (error) {
      const fault = options.explain(error);
      if (fault instanceof ConsoleFault) return renderFault(fault);
      throw fault;
    }
  }

  return (request, path, query, visit) => {
    const { method = '' } = request;
    const call = calls[`${method} ${path}`];
    if (call) {
      const answered = answer(() => call(request, query, visit));
      const isPage = path === '/session/login' || path === '/callback';
      const report = (error: unknown) => reportFailure(error, parseTarget(new URLSearchParams(query).get('to')));
      return { route: path, page: isPage ? answered.catch(report) : answered };
    }
    if (method === 'GET' && path.startsWith('/api/')) {
      const route = router.find(path)?.route.template ?? '/api/{path}';
      return { route, page: answer(() => read(request, path, query, visit)) };
    }
    if (!files || !page || !shell || (method !== 'GET' && method !== 'HEAD')) return undefined;
    const file = files.get(path);
    if (file)
      return {
        route: '/{file}',
        page: sendFile(request, file, path.startsWith('/assets/') ? FOR_EVER : ASK_AGAIN),
      };
    const isScreen = !/^\/(api|session|assets|callback)\b|\.\w+$/.test(path);
    return isScreen
      ? { route: '/{screen}', page: sendFile(request, page, [...ASK_AGAIN, ...shell.headers]) }
      : undefined;
  };
}

async function readPassword(request: IncomingMessage): Promise<string> {
  const text = (await readBody(request, BODY_BYTES)).toString('utf8');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw invalid('The body is not JSON.');
  }
  const password = (body as { password?: unknown } | null)?.password;
  if (typeof password !== 'string' || password === '' || password.includes('\0'))
    throw invalid('password is missing.', 'password');
  return password;
}

function renderShell(template: string, facts: ConsoleFacts): { readonly html: string; readonly headers: string[] } {
  const html = template
    .replaceAll('{{name}}', escapeHtml(facts.name))
    // In a script element only `<` could end it.
    .replace('{{facts}}', () => JSON.stringify(facts).replaceAll('<', '\\u003c'));
  const policy = [
    "default-src 'none'",
    `style-src 'self' ${hashAll(html, /<style>([\s\S]*?)<\/style>/g)}`.trim(),
    `script-src 'self' ${hashAll(html, /<script>([\s\S]*?)<\/script>/g)}`.trim(),
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types florin',
  ].join('; ');
  const headers = [
    'Content-Security-Policy',
    policy,
    'Cross-Origin-Opener-Policy',
    'same-origin',
    'Permissions-Policy',
    'camera=(), microphone=(), geolocation=(), payment=()',
    'X-Robots-Tag',
    'noindex, nofollow, noarchive',
  ];
  return { html, headers };
}
