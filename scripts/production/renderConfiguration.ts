/** docs/operating/configuration.md, from the table that the configuration is read by. */
import type { Variable } from '../../server/src/bin/config/shapes.ts';
import { variables } from '../../server/src/bin/config/variables.ts';

const GROUPS = [
  { title: 'Servers and workers', fits: () => true },
  { title: 'The signer', fits: (says: string) => says.startsWith('Only for the signer') },
  { title: 'The migration', fits: (says: string) => says.startsWith('Only for `florin migrate`') },
  { title: 'The sandbox', fits: (says: string) => says.startsWith('Only in the sandbox') },
];

export function renderConfiguration(): string {
  const all = Object.entries<Variable>(variables).map(([name, variable]) => ({
    name,
    variable,
    // The last one that fits: the first takes what no other does.
    group: GROUPS.findLast(({ fits }) => fits(variable.says))!,
  }));
  const parts = GROUPS.map((group) => {
    const rows = all.filter((one) => one.group === group).map(({ name, variable }) => renderRow(name, variable));
    return `## ${group.title}\n\n| setting | default, or an example | |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `# Configuration

Every process reads its settings from the environment, or from a file: \`florin server --env-file server.env\`; what the environment has
wins. With anything missing or wrong it refuses to start and lists all faults; \`florin doctor\` says what mends them. Names that
begin with \`FLORIN_\` and are not here are no settings. [Installing](install.md) has the files of a whole production,
[secrets](secrets.md) how those marked as secret are exchanged. This page is written by \`npm run generate\`, from the table by which settings are
read, like \`.env.example\`.

A server needs \`DATABASE_URL\`, an issuer, and \`FLORIN_SIGNER_URL\` with \`FLORIN_SIGNER_TOKEN\`; a worker the same, and \`FLORIN_CHAINS\`; the
signer needs [its own](signer.md).

${parts.join('\n')}`;
}

function renderRow(name: string, { says, example, secret }: Variable): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const shown = example ? `\`${cell(example)}\`` : '';
  return `| \`${name}\` | ${shown} | ${cell(says)}${secret ? ' *Secret.*' : ''} |`;
}
