import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PLATFORMS } from '../../test/support/guides/platforms.ts';
import { findWrongPrints, writeExamples } from '../../test/support/guides/readmeExamples.ts';
import type { Judge, Verdict } from './judge.ts';
import { NODES } from './packages.ts';
import { useSandbox } from './useSandbox.ts';

const run = promisify(execFile);

/** Every example of the client's README, and its program, on every platform. */
export const judgePlatforms: Judge = async (court) => {
  const { pathOf } = await court.install('nodes', NODES);
  const { consumer } = await court.client();
  const { state } = await useSandbox();
  const all = await writeExamples(consumer, state);
  const nodes = Object.keys(NODES).map((name) => ({ name: 'Node.js', program: pathOf(`${name}/bin/node`), args: [] }));
  const others = PLATFORMS.filter(({ name }) => name !== 'Node.js');
  const client = join(consumer, 'node_modules/@florin/client/dist/bin/florinClient.js');
  const env = { ...process.env, FLORIN_BACKEND_URL: state.backend_url, FLORIN_KEY: state.users[1]!.access_token };
  const verdicts: Verdict[] = [];
  for (const { name, program, args } of [...nodes, ...others]) {
    const about = 'every example of the README, and `florin-client trigger`';
    if (program === undefined) {
      verdicts.push({ judge: name, version: 'none', about, findings: ['it is not installed'] });
      continue;
    }
    const findings = await run(program, [...args, all], { cwd: consumer }).then(
      ({ stdout }) => findWrongPrints(stdout),
      (error: { stderr: string }) => [error.stderr.slice(-300)],
    );
    const { stdout } = await run(program, [...args, client, 'trigger', 'payment.complete'], { env }).catch(
      (error: { stderr: string }) => ({ stdout: error.stderr }),
    );
    if (!stdout.startsWith('payment.complete: paid')) findings.push(`trigger: ${stdout.slice(0, 300)}`);
    const version = (await run(program, ['--version'])).stdout.match(/\d+\.\d+\.\d+/)![0];
    verdicts.push({ judge: name, version, about, findings });
  }
  return verdicts;
};
