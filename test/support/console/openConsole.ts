/** A console as `florin console` runs it, in this process, and browsers that use it. */
import { BlockList } from 'node:net';
import { oidcIssuer } from '../../../server/src/adapters/identity/issuerRule.ts';
import type { ConsoleConfig } from '../../../server/src/bin/config/console/consoleConfig.ts';
import { createLogger } from '../../../server/src/bin/logger.ts';
import { startConsole } from '../../../server/src/bin/startConsole.ts';
import { asAdmin, urlAs } from '../database.ts';
import { loginOf, nameOperators, type OperatorName } from '../operators.ts';
import { CLIENT_ID, serveIssuer, type TestIssuer } from './serveIssuer.ts';

interface Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
  readonly body: any;
}

export interface Browser {
  cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Heard>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Heard>;
}

export interface TestConsole {
  readonly url: string;
  readonly issuer: TestIssuer;
  open(): Browser;
  /** Only the OpenID login. */
  identify(browser: Browser, subject: string): Promise<Heard>;
  /** Logged in, with the password of the database login too. */
  logIn(name: OperatorName): Promise<Browser>;
  stop(): Promise<void>;
}

type Roles = Partial<Record<OperatorName, 'admin' | 'risk' | 'support'>>;

/** Each operator is linked to the subject of their own name. */
export async function openConsole(
  databaseUrl: string,
  roles: Roles,
  changes: Partial<ConsoleConfig> = {},
): Promise<TestConsole> {
  const issuer = await serveIssuer();
  await nameOperators(databaseUrl, roles);
  const names = Object.keys(roles) as OperatorName[];
  await asAdmin(
    databaseUrl,
    'INSERT INTO operator_identities (issuer, subject, name) SELECT $1, * FROM unnest($2::text[], $3::text[])',
    [issuer.url, names, names.map(loginOf)],
  );
  const running = await startConsole(
    {
      mode: 'sandbox',
      host: '127.0.0.1',
      port: 0,
      url: undefined,
      tls: undefined,
      proxies: new BlockList(),
      databaseUrl: urlAs(databaseUrl, 'console'),
      issuers: [oidcIssuer({ issuer: issuer.url, audiences: [CLIENT_ID] })],
      login: { issuer: issuer.url, clientId: CLIENT_ID, clientSecret: undefined },
      idleSeconds: 900,
      sessionSeconds: 28_800,
      homeBlockchain: 'ETH-SEPOLIA',
      brand: {},
      walletUrl: undefined,
      sandbox: undefined,
      ops: { host: '127.0.0.1', hosts: [], port: 0 },
      logLevel: 'silent',
      ...changes,
    },
    createLogger('silent'),
  );
  await running.prepared;
  const url = String(running.facts.console_url);
  const open = () => openBrowser(url);

  async function identify(browser: Browser, subject: string): Promise<Heard> {
    const begun = await browser.get('/session/login?to=/payments');
    const asked = new URL(begun.headers.get('location')!);
    await fetch(asked);
    return browser.get(`/callback?code=${subject}&state=${asked.searchParams.get('state')}`);
  }

  return {
    url,
    issuer,
    open,
    identify,
    async logIn(name) {
      const browser = open();
      await identify(browser, name);
      const { body } = await browser.post('/session/password', { password: passwordOf(databaseUrl, name) });
      if (body.state !== 'open') throw new Error(JSON.stringify(body));
      return browser;
    },
    async stop() {
      await running.stop();
      await issuer.close();
    },
  };
}

export const passwordOf = (databaseUrl: string, name: OperatorName): string =>
  decodeURIComponent(new URL(urlAs(databaseUrl, name)).password);

function openBrowser(url: string): Browser {
  const cookies = new Map<string, string>();
  async function ask(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Heard> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(new URL(path, url), {
      method,
      redirect: 'manual',
      headers: { ...(cookie && { cookie }), ...headers },
      ...(body !== undefined && { body }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value) cookies.set(name!, value);
      else cookies.delete(name!);
    }
    const text = await answer.text();
    const isJson = /json/.test(answer.headers.get('content-type') ?? '');
    return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }
  return {
    cookies,
    get: (path, headers = {}) => ask('GET', path, headers),
    post: (path, body, headers = {}) =>
      ask('POST', path, { origin: url, 'content-type': 'application/json', ...headers }, JSON.stringify(body)),
  };
}
