/** `npm run generate`: writes the generated files. `test/tidy.test.ts` fails when one is stale. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Variable } from '../server/src/bin/config/shapes.ts';
import { variables } from '../server/src/bin/config/variables.ts';
import { errorTable } from '../server/src/core/errors.ts';
import { renderReference } from './client/renderReference.ts';
import { writePython } from './client/writePython.ts';
import { completeOpenapi } from './completeOpenapi.ts';
import { describeClient } from './describeClient.ts';
import { drawStates } from './handbook/drawStates.ts';
import { renderConfiguration } from './production/renderConfiguration.ts';
import { readCommandLine } from './readCommandLine.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Path to content. */
export async function generateFiles(): Promise<Map<string, string>> {
  const backend = completeOpenapi(new URL('../openapi/backend.json', import.meta.url));
  const web3 = completeOpenapi(new URL('../openapi/web3.json', import.meta.url));
  const files = new Map<string, string>([
    ['.env.example', renderEnvExample()],
    ['docs/errors/README.md', renderErrorIndex()],
    ['docs/guides/client-reference.md', renderReference([backend, web3])],
    ['docs/guides/states.svg', drawStates()],
    ['examples/python/florin.py', writePython({ backend, web3 })],
    ['docs/operating/configuration.md', renderConfiguration()],
    ['openapi/backend.json', backend],
    ['openapi/web3.json', web3],
    ...(await describeClient({ backend, web3 })),
  ]);
  for (const code of Object.keys(errorTable)) files.set(`docs/errors/${code}.md`, renderErrorPage(code));
  return files;
}

function renderEnvExample(): string {
  const blocks = Object.entries<Variable>(variables).map(([name, variable]) => {
    const given = env(variable);
    return `# ${variable.help}\n${given.required ? '' : '#'}${name}=${given.value}\n`;
  });
  return `# Configuration of Florin. Lines that begin with #NAME= show the default or an example.\n\n${blocks.join('\n')}`;
}

function env(variable: Variable): { required: boolean; value: string } {
  return { required: !variable.schema.safeParse(undefined).success, value: variable.example ?? '' };
}

type Row = (typeof errorTable)[keyof typeof errorTable];
const rows = Object.entries<Row>(errorTable);

function renderErrorIndex(): string {
  const lines = rows.map(
    ([code, row]) => `| [\`${code}\`](${code}.md) | ${row.status} | ${row.retryable ? 'yes' : 'no'} | ${row.title} |`,
  );
  return `# Error codes

Every error except validation and routing errors is an RFC 9457 problem document (\`application/problem+json\`). The meaning
of a \`code\` never changes. \`type\` is the path of the page below, which both APIs serve.

| code | status | retryable | title |
|---|---|---|---|
${lines.join('\n')}
`;
}

function renderErrorPage(code: string): string {
  const row = errorTable[code as keyof typeof errorTable];
  const placeholders = [...row.detail.matchAll(/\{(\w+)\}/g)].map((match) => `\`${match[1]}\``);
  const members = placeholders.length > 0 ? `\nThe problem document also contains ${placeholders.join(', ')}.\n` : '';
  return `# ${code}

**${row.title}.** Status ${row.status}; the same request ${row.retryable ? 'can succeed later without changes' : 'fails again until something changes'}.

> ${row.detail}
${members}
${row.remedy}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  readCommandLine('npm run generate');
  for (const [file, content] of await generateFiles()) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), content);
  }
}
