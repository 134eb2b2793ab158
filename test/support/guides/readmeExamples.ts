/** The examples of the client's README as programs, and what they print. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { transform } from 'esbuild';
import type { SandboxState } from '../../../sandbox/src/startSandbox.ts';

const README = resolve(import.meta.dirname, '../../../sdk/README.md');

/** The examples of the README, by number, with the addresses of this sandbox. */
export const readExamples = (state: SandboxState): string[] => {
  const text = readFileSync(README, 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map((match) =>
    match[1]!
      .replaceAll('http://127.0.0.1:8001', state.backend_url)
      .replaceAll('http://127.0.0.1:8000', state.web3_url),
  );
};

/** What the README assumes: an ID token, and the client of the first example. */
export const completeExample = (example: string, state: SandboxState): string => `
const idToken = await (await fetch('${state.issuer_url}/id_token?email=alice@florin.example')).text();
${
  /\bflorin\./.test(example) && !example.includes('const florin')
    ? `const florin = await import('@florin/client').then(({ createClient }) =>
        createClient({ backendUrl: '${state.backend_url}' }));
await florin.login(idToken);`
    : ''
}
${example}
export {};
`;

/** What each example prints. */
export const README_PRINTS = [
  /^alice has \d+(\.\d+)? USDC$/,
  /^COMPLETE 1\.5$/,
  /^true$/,
  /^Only \d+(\.\d+)? USDC are left\.$/,
  /^0\.3 0\.1$/,
  /^COMPLETE 0x[0-9a-f]{64}$/,
  /^\S+Z \d\S* \d\S*\ntrue transaction_id$/,
  /^alice\n0$/,
  /^200 36\nCOMPLETE$/,
  /^(payment\.complete \d\S*|deposit\.complete evt_\w+)$/,
  /^0c6f5c1e\S+\n204 401$/,
];

/** Writes all of them into a folder that has the client; returns the module that runs them in turn. */
export async function writeExamples(folder: string, state: SandboxState): Promise<string> {
  const modules = await Promise.all(
    readExamples(state).map(async (example, nth) => {
      const source = completeExample(example, state);
      const { code } = await transform(source, { loader: 'ts', format: 'esm', target: 'es2022' });
      writeFileSync(join(folder, `example${nth + 1}.mjs`), code);
      return `./example${nth + 1}.mjs`;
    }),
  );
  const all = modules.map((file, nth) => `console.log('# ${nth + 1}'); await import('${file}');`).join('\n');
  writeFileSync(join(folder, 'all.mjs'), all);
  return join(folder, 'all.mjs');
}

/** What differs from the expected output, by example. */
export function findWrongPrints(stdout: string): string[] {
  const printed = stdout.split(/^# \d+\n/m).slice(1);
  return README_PRINTS.flatMap((expected, nth) => {
    const text = printed[nth]?.trimEnd();
    return text !== undefined && expected.test(text) ? [] : [`example ${nth + 1} prints ${JSON.stringify(text)}`];
  });
}
