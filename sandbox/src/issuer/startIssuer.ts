/**
 * `issuer/` is a real OpenID provider for the sandbox: anyone can log in with any e-mail address. That would be
 * dangerous in production, so it refuses to start there, listens only on this machine, and the server package does not
 * know it.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Provider } from 'oidc-provider';
import { surviveSocketErrors } from '../../../server/src/http/connections/surviveSocketErrors.ts';
import { StartFault } from '../fault.ts';
import { type Accounts, createAccounts, findEmail, type Person } from './accounts.ts';
import { CLIENT_ID, createProvider, SCOPES } from './createProvider.ts';
import { readSigningKey } from './readSigningKey.ts';
import { renderHomePage, renderLoginPage, renderMessagePage, securityHeaders } from './renderPages.ts';

interface IssuerOptions {
  /** Default: any free port. */
  readonly port?: number;
  readonly host?: string;
  readonly keyFile: string;
  readonly redirectUris: readonly string[];
  /** Of the operator console. */
  readonly consoleRedirectUris?: readonly string[];
  /** Offered as buttons on the login page. */
  readonly people?: readonly Person[];
  readonly log?: (line: string) => void;
}

export interface RunningIssuer {
  readonly issuerUrl: string;
  /** The token that `GET /id_token` answers. */
  issueIdToken(email: string): Promise<string>;
  stop(): Promise<void>;
}

const BODY_LIMIT_BYTES = 10_000;
const BAD_EMAIL = 'That is not an e-mail address. It should look like name@example.com.';

export async function startIssuer(options: IssuerOptions): Promise<RunningIssuer> {
  refuseProduction();
  const host = options.host ?? '127.0.0.1';
  if (!['127.0.0.1', 'localhost', '::1'].includes(host)) {
    throw new StartFault(`The sandbox's issuer logs in anyone, so it listens on 127.0.0.1 only, not on ${host}.`);
  }
  const key = await readSigningKey(options.keyFile);
  const server = surviveSocketErrors(createServer());
  await listen(server, host, options.port ?? 0);
  const issuerUrl = `http://${host === '::1' ? '[::1]' : host}:${(server.address() as AddressInfo).port}`;
  const {
    redirectUris,
    consoleRedirectUris = ['http://console.localhost/callback'],
    people = [],
    log = () => {},
  } = options;
  const accounts = createAccounts(people);
  const provider = await createProvider({ issuerUrl, key, redirectUris, consoleRedirectUris, accounts });
  provider.on('server_error', (_, error) => log(`Issuer: ${error.message}`));

  const issueIdToken = async (email: string) => {
    const client = await provider.Client.find(CLIENT_ID);
    const token = new provider.IdToken(accounts.ofEmail(email).claims(), { client: client! });
    token.scope = SCOPES;
    token.set('auth_time', Math.floor(Date.now() / 1000));
    return token.issue({ use: 'idtoken' });
  };
  const answerProtocol = provider.callback();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isLoopbackName(request.headers.host)) return sendProblem(response, 421, 'This issuer is only for 127.0.0.1.');
    const url = `${issuerUrl}${request.url}`;
    if (!URL.canParse(url)) return sendProblem(response, 400, 'The URL is invalid.');
    const { pathname, searchParams } = new URL(url);
    if (pathname === '/' && request.method === 'GET') return sendPage(response, 200, renderHomePage(issuerUrl));
    if (pathname === '/id_token') return answerIdToken(response, searchParams);
    if (pathname.startsWith('/interaction/'))
      return answerInteraction({ provider, accounts, people }, request, response);
    return answerProtocol(request, response);
  }

  async function answerIdToken(response: ServerResponse, query: URLSearchParams): Promise<void> {
    // In a query `+` means a space. An address has no space, so `dave+1@example.com` works unescaped.
    const email = findEmail(query.get('email')?.trim().replaceAll(' ', '+'));
    if (!email) return sendProblem(response, 400, `${BAD_EMAIL} Ask for /id_token?email=name@example.com`);
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
    response.end(await issueIdToken(email));
  }

  server.on('request', (request, response) => {
    answer(request, response).catch((error: Error) => {
      log(`Issuer: ${error.message}`);
      if (!response.headersSent) sendProblem(response, 500, 'The issuer failed; the sandbox shows why.');
    });
  });

  return {
    issuerUrl,
    issueIdToken,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function refuseProduction(): void {
  if (process.env.FLORIN_MODE === 'production' || process.env.NODE_ENV === 'production') {
    throw new StartFault(
      "The sandbox's issuer logs in anyone under any e-mail address and never starts in production " +
        '(FLORIN_MODE or NODE_ENV says production).',
    );
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** A web page that points its own name at 127.0.0.1 (DNS rebinding) must not collect ID tokens. */
const isLoopbackName = (host: string | undefined): boolean =>
  /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host ?? '');

async function answerInteraction(
  { provider, accounts, people }: { provider: Provider; accounts: Accounts; people: readonly Person[] },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const interaction = await provider.interactionDetails(request, response).catch(() => undefined);
  if (!interaction) {
    const text = 'This page has expired, or it was opened in another browser.';
    return sendPage(response, 400, renderMessagePage('Please start again', text));
  }
  const path = `/interaction/${interaction.uid}`;
  const target = interaction.params.redirect_uri;
  const finish = (result: Record<string, unknown>) =>
    provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  const enter = (email: string) => finish({ login: { accountId: accounts.ofEmail(email).accountId, remember: false } });
  if (request.method !== 'POST') {
    const hinted = findEmail(interaction.params.login_hint);
    if (hinted && interaction.params.one_click === 'yes') return enter(hinted);
    const typed = hinted ?? '';
    return sendPage(response, 200, renderLoginPage({ path, people, typed }), target);
  }
  const form = await readForm(request);
  if (!form) return sendPage(response, 413, renderMessagePage('Too large', 'The form is too large.'));
  if (form.has('cancel')) return finish({ error: 'access_denied', error_description: 'the login was cancelled' });
  const email = findEmail(form.get('email'));
  if (email) return enter(email);
  const typed = (form.get('email') ?? '').slice(0, 254);
  return sendPage(response, 400, renderLoginPage({ path, people, typed, fault: BAD_EMAIL }), target);
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk;
    if (body.length > BODY_LIMIT_BYTES) return undefined;
  }
  return new URLSearchParams(body);
}

function sendPage(response: ServerResponse, status: number, html: string, formTarget?: string): void {
  response.writeHead(status, securityHeaders(formTarget));
  response.end(html);
}

function sendProblem(response: ServerResponse, status: number, detail: string): void {
  response.writeHead(status, { 'content-type': 'application/problem+json', 'cache-control': 'no-store' });
  response.end(JSON.stringify({ type: 'about:blank', title: 'The issuer refused', status, detail }));
}
