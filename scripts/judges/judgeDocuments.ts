import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Judge, Verdict } from './judge.ts';
import { REDOCLY, SPECTRAL } from './packages.ts';
import { runJudge } from './runJudge.ts';

const ABOUT = 'both OpenAPI documents as production serves them, errors and warnings';

/** Redocly's and Spectral's recommended rules. */
export const judgeDocuments: Judge = async (court) => [await askRedocly(court), await askSpectral(court)];

interface RedoclyProblem {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}

async function askRedocly(court: Parameters<Judge>[0]): Promise<Verdict> {
  const { pathOf, versionOf, folder } = await court.install('redocly', REDOCLY);
  const findings: string[] = [];
  for (const file of Object.values(court.documents('production'))) {
    const args = [pathOf('@redocly/cli/bin/cli.js'), 'lint', '--extends', 'recommended', '--format', 'json', file];
    const { stdout } = await runJudge(process.execPath, args, folder);
    const { problems } = JSON.parse(stdout) as { readonly problems: readonly RedoclyProblem[] };
    findings.push(...problems.map((one) => `${one.ruleId} at ${one.location[0]?.pointer}: ${one.message}`));
  }
  return { judge: 'Redocly', version: versionOf('@redocly/cli'), about: ABOUT, findings };
}

interface SpectralProblem {
  readonly code: string;
  readonly message: string;
  readonly path: readonly string[];
  readonly severity: number;
}

const WARNING = 1;

async function askSpectral(court: Parameters<Judge>[0]): Promise<Verdict> {
  const { pathOf, versionOf, folder } = await court.install('spectral', SPECTRAL);
  const rules = join(folder, 'rules.json');
  writeFileSync(rules, '{"extends":["spectral:oas"]}');
  const findings: string[] = [];
  for (const file of Object.values(court.documents('production'))) {
    const program = pathOf('@stoplight/spectral-cli/dist/index.js');
    const { stdout } = await runJudge(
      process.execPath,
      [program, 'lint', '-q', '-r', rules, '-f', 'json', file],
      folder,
    );
    const problems = (JSON.parse(stdout) as readonly SpectralProblem[]).filter((one) => one.severity <= WARNING);
    findings.push(...problems.map(({ code, path, message }) => `${code} at ${path.join('/')}: ${message}`));
  }
  return { judge: 'Spectral', version: versionOf('@stoplight/spectral-cli'), about: ABOUT, findings };
}
