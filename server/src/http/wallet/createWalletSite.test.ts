import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PayError } from '../../core/errors.ts';
import type { SitePage } from '../contract/createApi.ts';
import { createWalletSite } from './createWalletSite.ts';

const facts = {
  name: 'Acme </script> Pay',
  welcome: null,
  home_blockchain: 'ETH-SEPOLIA',
  blockchains: [],
  explorers: {},
  support_url: null,
  has_logo: true,
  kyc: null,
  sandbox: null,
};
const asked: string[] = [];
const note = (what: string) => async () => {
  asked.push(what);
  return { contentType: 'application/json', body: '{}', headers: [] };
};
let failure: unknown;
const site = createWalletSite({
  facts,
  colours: { accent: '#ffdd00' },
  logo: '<svg/>',
  session: {
    begin: note('begin'),
    finish: note('finish'),
    open: note('open'),
    refresh: note('refresh'),
    end: note('end'),
  },
  beReady: () => {
    if (failure) throw failure;
  },
});

async function get(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  query = '',
): Promise<SitePage | undefined> {
  const found = site({ method, headers } as unknown as IncomingMessage, path, query, {
    address: '192.0.2.1',
    answerHeaders: [],
  });
  return found && (await found.page);
}
const headerOf = (page: SitePage, name: string) => page.headers[page.headers.indexOf(name) + 1]!;

describe('the wallet is served', () => {
  it('as one page for all its screens, in the colours and under the name of the brand', async () => {
    for (const path of ['/', '/send', '/payments/3f0c9a4e']) {
      const page = (await get(path))!;
      const html = String(page.body);
      expect(html).toContain('<title>Acme &lt;/script&gt; Pay</title>');
      expect(html).toContain(':root{--accent:light-dark(#ffdd00,#ffdd00);--on-accent:light-dark(#000000,#000000)}');
      const reported = /<script type="application\/json" id="facts">(.*?)<\/script>/s.exec(html)![1]!;
      expect(JSON.parse(reported)).toEqual(facts);
      expect(html).not.toContain('{{');
    }
  });

  it('under a policy that allows only its own scripts, and inline ones by their hash', async () => {
    const page = (await get('/'))!;
    const policy = headerOf(page, 'Content-Security-Policy');
    const early = /<script>([\s\S]*?)<\/script>/.exec(String(page.body))![1]!;
    const hash = createHash('sha256').update(early).digest('base64');
    expect(policy).toMatch(/^default-src 'none'; style-src 'self' 'sha256-[^']+' 'sha256-[^']+';/);
    expect(policy).toContain(
      `script-src 'self' 'sha256-${hash}'; connect-src 'self'; require-trusted-types-for 'script'`,
    );
    expect(early).toContain("fetch('/session/open'");
    expect(policy).not.toContain('unsafe');
    expect(policy).not.toContain('sumsub');
    expect(headerOf(page, 'Permissions-Policy')).toContain('camera=(self), microphone=()');
    const verify = (await get('/verify'))!;
    expect(headerOf(verify, 'Content-Security-Policy')).toMatch(
      /script-src [^;]*https:\/\/static\.sumsub\.com.*frame-src [^;]*https:\/\/api\.sumsub\.com/,
    );
    // There people film their face and their documents.
    expect(headerOf(verify, 'Permissions-Policy')).toMatch(/camera=\(self [^)]*"https:\/\/api\.sumsub\.com"/);
  });

  it('without preview or listing of what a link is about', async () => {
    const home = (await get('/'))!;
    expect(home.headers).not.toContain('X-Robots-Tag');
    for (const path of ['/pay/@alice', '/pay/%40alice', '/requests/3f0c9a4e-7b1d-4c58-9e2a-6d5f0b8c1a27']) {
      const page = (await get(path))!;
      expect([path, headerOf(page, 'X-Robots-Tag')]).toEqual([path, 'noindex, nofollow, noarchive']);
      // The same bytes for every link: there is nothing in them that a preview could show.
      expect(page.body).toEqual(home.body);
      expect(String(page.body)).not.toMatch(/og:|twitter:/);
    }
  });

  it('compressed, and not again to a client that has it', async () => {
    const plain = (await get('/'))!;
    const br = (await get('/', { 'accept-encoding': 'gzip, br' }))!;
    const zipped = (await get('/', { 'accept-encoding': 'gzip' }))!;
    expect(brotliDecompressSync(br.body as Buffer).equals(plain.body as Buffer)).toBe(true);
    expect(gunzipSync(zipped.body as Buffer).equals(plain.body as Buffer)).toBe(true);
    expect(headerOf(br, 'Content-Encoding')).toBe('br');
    const tag = headerOf(plain, 'ETag');
    expect(await get('/', { 'if-none-match': tag })).toMatchObject({ status: 304, body: '' });
  });

  it('with files that are cached forever when their name has their hash, and revalidated otherwise', async () => {
    const html = String((await get('/'))!.body);
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(html)![1]!;
    expect(headerOf((await get(script))!, 'Cache-Control')).toContain('immutable');
    for (const path of ['/', '/sw.js', '/icon-192.png', '/logo.svg', '/manifest.webmanifest'])
      expect([path, headerOf((await get(path))!, 'Cache-Control')]).toEqual([path, 'no-cache']);
    expect(headerOf((await get('/sw.js'))!, 'Content-Security-Policy')).toBe("default-src 'none'; connect-src 'self'");
    const manifest = JSON.parse(String((await get('/manifest.webmanifest'))!.body));
    expect(manifest).toMatchObject({ name: facts.name, display: 'standalone', start_url: '/' });
    for (const { url } of manifest.shortcuts as { url: string }[])
      expect([url, String((await get(url))!.body)]).toEqual([url, expect.stringContaining('id="root"')]);
    for (const { src } of manifest.icons as { src: string }[]) expect([src, await get(src)]).not.toContain(undefined);
  });

  it('beside the API, whose paths and other methods it does not touch', async () => {
    for (const path of ['/api/v1/me', '/webhooks/sumsub', '/assets/none.js', '/nothing.php', '/session/x'])
      expect([path, await get(path)]).toEqual([path, undefined]);
    expect(await get('/', {}, 'POST')).toBeUndefined();
    await get('/session/login');
    await get('/callback');
    await get('/session/open', {}, 'POST');
    await get('/session/refresh', {}, 'POST');
    await get('/session/end', {}, 'POST');
    expect(asked).toEqual(['begin', 'finish', 'open', 'refresh', 'end']);
    expect(await get('/session/refresh')).toBeUndefined();
  });

  it('also when a login fails: its page says why; a script reads the problem', async () => {
    try {
      for (const [error, why] of [
        [new PayError('service.unavailable', { dependency: 'database' }), 'unavailable'],
        [new PayError('rate.limited'), 'limited'],
        [new PayError('request.origin'), 'failed'],
      ] as const) {
        failure = error;
        for (const path of ['/session/login', '/callback']) {
          const page = (await get(path))!;
          expect([path, page.status, headerOf(page, 'Location')]).toEqual([path, 303, `/?login=${why}`]);
        }
        expect(headerOf((await get('/session/login', {}, 'GET', 'to=/pay/@bob'))!, 'Location')).toBe(
          `/pay/@bob?login=${why}`,
        );
        await expect(get('/session/open', {}, 'POST')).rejects.toBe(error);
      }
      failure = new TypeError('a defect');
      await expect(get('/callback')).rejects.toBe(failure);
    } finally {
      failure = undefined;
    }
  });
});
