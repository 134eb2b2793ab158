import { ROLES, type Role } from '../config/parts.ts';
import { examine } from '../doctor/examine.ts';
import type { Finding } from '../doctor/finding.ts';
import { verb } from '../program/command.ts';
import { misused } from '../program/faults.ts';
import { COLUMNS, wrap } from '../program/render.ts';

export default verb({
  summary: 'Checks configuration, database, signer, networks, gas, pauses and what waits for people',
  about: `Shows each fault with its fix. Exit code 1 if there is one. It checks the environment of one process: give it that
process's --env-file. It derives the kind of process from the variables, unless --as names it. A server
and a worker have the same variables, so name the worker.`,
  options: {
    as: { type: 'string', value: 'ROLE', summary: `${ROLES.join(', ')}` },
  },
  reads: true,
  examples: ['doctor', 'doctor --as worker --env-file worker.env', 'doctor --as signer --env-file signer.env --json'],
  async run(_, { options }) {
    const role = parseRole(options.as);
    const { role: looked, findings } = await examine(role);
    const count = (level: Finding['level']) => findings.filter((one) => one.level === level).length;
    const faults = count('fault');
    return {
      text: `${findings.map(renderFinding).join('')}\n${summarize(faults, count('warning'))}\n`,
      json: { as: looked, faults, warnings: count('warning'), findings },
      isBad: faults > 0,
    };
  },
});

function parseRole(text: string | undefined): Role | undefined {
  const role = ROLES.find((one) => one === text);
  if (text !== undefined && !role) throw misused(`--as must be one of ${ROLES.join(', ')}`);
  return role;
}

const LABELS: Readonly<Record<Finding['level'], string>> = { ok: 'ok', warning: 'warning', fault: 'FAULT' };
const INDENT = ' '.repeat('configuration  warning  '.length);

function renderFinding({ area, level, says, fix }: Finding): string {
  const width = COLUMNS - INDENT.length;
  const [first = '', ...rest] = wrap(says, width);
  const fixLines = fix === undefined ? [] : wrap(`→ ${fix}`, width);
  const start = `${area.padEnd(15)}${LABELS[level].padEnd(9)}`;
  return [start + first, ...[...rest, ...fixLines].map((line) => INDENT + line)].map((line) => `${line}\n`).join('');
}

function summarize(faults: number, warnings: number): string {
  if (faults + warnings === 0) return 'Everything is in order.';
  const say = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`;
  return [...(faults > 0 ? [say(faults, 'fault')] : []), ...(warnings > 0 ? [say(warnings, 'warning')] : [])].join(
    ', ',
  );
}
