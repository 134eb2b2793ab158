/** docs/operating/configuration.md, from the table that parses the configuration. */
import type { Variable } from '../../server/src/bin/config/shapes.ts';
import { variables } from '../../server/src/bin/config/variables.ts';

const GROUPS = [
  { title: 'Servers and workers', fits: () => true },
  { title: 'The signer', fits: (help: string) => help.startsWith('Only for the signer') },
  { title: 'The migration', fits: (help: string) => help.startsWith('Only for `florin migrate`') },
  { title: 'The sandbox', fits: (help: string) => help.startsWith('Only in the sandbox') },
];

export function renderConfiguration(): string {
  const all = Object.entries<Variable>(variables).map(([name, variable]) => ({
    name,
    variable,
    // The last one that matches: the first takes everything else.
    group: GROUPS.findLast(({ fits }) => fits(variable.help))!,
  }));
  const parts = GROUPS.map((group) => {
    const rows = all.filter((one) => one.group === group).map(({ name, variable }) => renderRow(name, variable));
    return `## ${group.title}\n\n| setting | default or example | meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `# Configuration

Every process reads its settings from the environment, or from a file: \`florin server --env-file server.env\`. Environment
variables take precedence over the file. If a setting is missing or wrong, the process refuses to start and lists all errors;
\`florin doctor\` says how to fix them. Florin ignores other variables whose names begin with \`FLORIN_\`. [Installing](install.md) shows the files of a complete installation.
[Secrets](secrets.md) describes how to rotate the settings marked as secret. \`npm run generate\` writes this page and
\`.env.example\` from the table with which Florin reads its settings.

A server needs \`DATABASE_URL\`, an issuer, and \`FLORIN_SIGNER_URL\` with \`FLORIN_SIGNER_TOKEN\`. A worker needs the same,
and \`FLORIN_CHAINS\`. The signer needs [its own settings](signer.md).

${parts.join('\n')}`;
}

function renderRow(name: string, { help, example, secret }: Variable): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const shown = example ? `\`${cell(example)}\`` : '';
  return `| \`${name}\` | ${shown} | ${cell(help)}${secret ? ' *Secret.*' : ''} |`;
}
