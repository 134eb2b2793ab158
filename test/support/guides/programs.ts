/** The TypeScript and JavaScript of the guides as programs: all blocks of a page together are one program. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { transform } from 'esbuild';
import { GOOGLE, GOOGLE_TYPES, installProviders } from './providers.ts';
import type { Guide } from './readGuides.ts';

/** The expected output of each program. */
export const PRINTS: Readonly<Record<string, RegExp>> = {
  'amounts.md': /^0\.3\n\{"receiver_username":"bob","amount":1\.75\}$/,
  'errors-and-retries.md': /^Paid 0\.25\nOnly$/,
  'limits-and-kyc.md': /^true true\napproved false 0$/,
  'login-auth0.md': /^alice@florin\.example$/,
  'login-firebase.md': /^alice@florin\.example$/,
  'login-google.md': /^alice@florin\.example$/,
  'login-oidc.md': /^[0-9a-f-]{36}$/,
  'money-requests.md': /^open\ncancelled$/,
  'pay-and-show.md': /^0 false 0\nCOMPLETE 12\.5\nCOMPLETE\naccepted.*\n(?:.+\n)+final\npayment\.complete$/,
  'web-login.md': /^true\ntrue\nundefined$/,
  'webhooks.md': /^payment\.complete\n204\ntrue$/,
  'which-api.md': /^ETH-SEPOLIA$/,
};

/** Definitions that the page leaves to its reader. */
const RECEIVED = `
import * as crypto from 'node:crypto';
const secret = 'whsec_' + Buffer.alloc(24, 7).toString('base64');
const bodyAsItCame = '{"type":"payment.complete","timestamp":"2026-03-02T09:20:11.400Z","data":{}}';
const sentAt = String(Math.floor(Date.now() / 1000));
const signature = crypto.createHmac('sha256', Buffer.alloc(24, 7)).update('evt_1.' + sentAt + '.' + bodyAsItCame).digest('base64');
const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': sentAt, 'webhook-signature': 'v1,' + signature };
const isNew = async (id: string) => id === 'evt_1';
const keep = async (message: unknown) => console.log((message as { type: string }).type);
const response = { writeHead: (status: number) => ({ end: () => console.log(status) }) };
`;

const isProgram = (language: string): boolean => language === 'ts' || language === 'js';

function compose({ name, blocks }: Guide, backendUrl: string): string {
  const code = blocks.filter(({ language }) => isProgram(language)).map(({ text }) => text);
  const all = code.join('\n');
  const needsClient = /\bflorin\./.test(all) && !/const florin\b/.test(all);
  return [
    name === 'webhooks.md' ? RECEIVED : '',
    needsClient || /\bidToken\b/.test(all)
      ? "const idToken = await (await fetch(process.env.GUIDE_ISSUER + '/id_token?email=alice@florin.example')).text();"
      : '',
    needsClient
      ? `import { createClient as openClient } from '@florin/client';
const florin = openClient({ backendUrl: '${backendUrl}' });
await florin.login(idToken);`
      : '',
    all,
    'export {};',
  ].join('\n');
}

const nameOf = (guide: Guide) => `guide-${guide.name.replace('.md', '')}`;

/** Writes the programs into a folder that has the client. The compiler checks all of them. */
export function writePrograms(guides: readonly Guide[], folder: string, fill: (text: string) => string): void {
  installProviders(folder);
  const hooks = resolve(import.meta.dirname, '../../../node_modules/standardwebhooks');
  symlinkSync(hooks, join(folder, 'node_modules/standardwebhooks'));
  writeFileSync(join(folder, 'google.d.ts'), GOOGLE_TYPES);
  for (const guide of guides)
    writeFileSync(join(folder, `${nameOf(guide)}.ts`), fill(compose(guide, 'http://127.0.0.1:8001')));
}

export const hasProgram = ({ blocks }: Guide): boolean => blocks.some(({ language }) => isProgram(language));

/** One module that runs all of them in turn. The output of each begins with its name after a `#`. */
export async function buildPrograms(
  guides: readonly Guide[],
  folder: string,
  fill: (text: string) => string,
): Promise<string> {
  const lines = await Promise.all(
    guides.map(async (guide) => {
      const source = fill(compose(guide, 'http://127.0.0.1:8001'));
      const { code } = await transform(source, { loader: 'ts', format: 'esm', target: 'es2022' });
      writeFileSync(join(folder, `${nameOf(guide)}.mjs`), code);
      return `console.log('# ${guide.name}'); await import('./${nameOf(guide)}.mjs'); await globalThis.answered;`;
    }),
  );
  const file = join(folder, 'guides.mjs');
  writeFileSync(file, `${GOOGLE}${lines.join('\n')}\n`);
  return file;
}
