/**
 * Serves the page on this machine, where the sandbox's OpenID provider sends people back to.
 *
 *     npm run build -w @florin/client
 *     FLORIN_ISSUER_URL=http://127.0.0.1:… node --import tsx examples/login/serve.ts
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const place = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const bundled = await build({
  entryPoints: [place('Login.tsx')],
  bundle: true,
  jsx: 'automatic',
  minify: true,
  define: { 'process.env.NODE_ENV': '"production"' },
  format: 'esm',
  target: 'es2022',
  write: false,
});
const settings = {
  backendUrl: process.env.FLORIN_BACKEND_URL ?? 'http://127.0.0.1:8001',
  issuer: process.env.FLORIN_ISSUER_URL ?? '',
  clientId: 'florin-wallet',
};
const page = { type: 'text/html; charset=utf-8', text: readFileSync(place('index.html'), 'utf8') };
const files: Readonly<Record<string, { readonly type: string; readonly text: string }>> = {
  '/': page,
  '/callback': page,
  '/login.js': { type: 'text/javascript; charset=utf-8', text: bundled.outputFiles[0]!.text },
  '/settings.json': { type: 'application/json', text: JSON.stringify(settings) },
};
const allowed = `default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; connect-src 'self' ${settings.backendUrl} ${settings.issuer}`;

const port = Number(process.env.PORT ?? 8090);
createServer((request, response) => {
  const file = files[(request.url ?? '').split('?', 1)[0]!];
  if (!file) return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': file.type, 'content-security-policy': allowed }).end(file.text);
}).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}`));
