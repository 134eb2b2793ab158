/**
 * `npm run judges`: programs that nobody here wrote judge the documents, the client and a running service. They are installed from
 * npm, at fixed versions (judges/packages.ts), into a temporary folder, and are no dependencies. Prints every finding, a
 * table (also in docs/judges.md) and, last, one JSON line. Fails when a judge finds something.
 *
 * `--only NAME`: these judges; may be repeated. `--folder FOLDER`: what is installed there is used again.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { useTestPostgres } from '../test/support/startTestPostgres.ts';
import type { Judge, Verdict } from './judges/judge.ts';
import { judgeBundles } from './judges/judgeBundles.ts';
import { judgeDocuments } from './judges/judgeDocuments.ts';
import { judgeGenerators } from './judges/judgeGenerators.ts';
import { judgeIssuer } from './judges/judgeIssuer.ts';
import { judgeOperations } from './judges/judgeOperations.ts';
import { judgePackaging } from './judges/judgePackaging.ts';
import { judgePlatforms } from './judges/judgePlatforms.ts';
import { judgeReceivers } from './judges/judgeReceivers.ts';
import { judgeStory } from './judges/judgeStory.ts';
import { judgeTraces } from './judges/judgeTraces.ts';
import { openCourt } from './judges/openCourt.ts';
import { stopSandbox } from './judges/useSandbox.ts';
import { readCommandLine, refuse } from './readCommandLine.ts';

const JUDGES: Readonly<Record<string, Judge>> = {
  documents: judgeDocuments,
  generators: judgeGenerators,
  packaging: judgePackaging,
  bundles: judgeBundles,
  platforms: judgePlatforms,
  receivers: judgeReceivers,
  traces: judgeTraces,
  story: judgeStory,
  operations: judgeOperations,
  issuer: judgeIssuer,
};
const NAMES = Object.keys(JUDGES);
const USAGE = `npm run judges [-- --only ${NAMES.join('|')}] [--folder FOLDER]`;

const { values } = readCommandLine(USAGE, {
  options: { only: { type: 'string', multiple: true, default: [] }, folder: { type: 'string' } },
});
const unknown = values.only.find((name) => !NAMES.includes(name));
if (unknown !== undefined) refuse(USAGE, `There is no judge ${unknown}`);

const folder = values.folder === undefined ? mkdtempSync(join(tmpdir(), 'florin-judges-')) : resolve(values.folder);
mkdirSync(folder, { recursive: true });
const court = openCourt(folder);
const verdicts: Verdict[] = [];
const { stop } = await useTestPostgres();
try {
  for (const name of values.only.length > 0 ? values.only : NAMES) {
    console.log(`${name} …`);
    verdicts.push(...(await JUDGES[name]!(court).catch((error: Error) => [describeFailure(name, error)])));
  }
} finally {
  await stopSandbox();
  await stop();
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
}

for (const { judge, findings } of verdicts) for (const finding of findings) console.log(`FINDING ${judge}: ${finding}`);
console.log('\n| judge | version | what it judges | findings |\n|---|---|---|---|');
for (const { judge, version, about, findings, figure } of verdicts)
  console.log(`| ${judge} | ${version} | ${figure ? `${about}: ${figure}` : about} | ${findings.length || 'none'} |`);
const findings = verdicts.reduce((sum, one) => sum + one.findings.length, 0);
console.log(JSON.stringify({ judges: verdicts.map(({ judge, version }) => `${judge} ${version}`), findings }));
if (findings > 0) process.exitCode = 1;

/** A judge that cannot judge has not found the service to be right. */
function describeFailure(name: string, { stack }: Error): Verdict {
  return { judge: name, version: 'none', about: 'it could not judge', findings: [stack ?? 'it failed'] };
}
