import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { SitePage } from '../contract/createApi.ts';

/** A file in each encoding that browsers ask for. */
interface ServedFile {
  readonly contentType: string;
  readonly tag: string;
  readonly plain: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

/** Where `npm run build` and the sandbox put the built wallet. */
const BUILT_WALLET = fileURLToPath(new URL('../../../../web/wallet/dist/', import.meta.url));

/** By path, for example `/assets/…`; undefined if the wallet was not built. */
export function readFiles(folder = BUILT_WALLET): Map<string, ServedFile> | undefined {
  if (!existsSync(join(folder, 'index.html'))) return undefined;
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && TYPES[extname(entry.name)] !== undefined)
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '/').length));
  return new Map(names.map((name) => [`/${name}`, toServed(extname(name), readFileSync(join(folder, name)))]));
}

export function toServed(extension: string, plain: Buffer): ServedFile {
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  return {
    contentType: TYPES[extension]!,
    tag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    plain,
    br: brotliCompressSync(plain, options),
    gzip: gzipSync(plain),
  };
}

/** In the best encoding that the client accepts; 304 if the client already has the file. */
export function sendFile(request: IncomingMessage, file: ServedFile, headers: readonly string[]): SitePage {
  const { contentType, tag } = file;
  const shared = [...headers, 'Vary', 'Accept-Encoding', 'ETag', tag];
  if (request.headers['if-none-match'] === tag) return { status: 304, contentType, body: '', headers: shared };
  const accepted = String(request.headers['accept-encoding'] ?? '');
  const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : 'plain';
  return {
    contentType,
    body: file[encoding],
    headers: encoding === 'plain' ? shared : [...shared, 'Content-Encoding', encoding],
  };
}
