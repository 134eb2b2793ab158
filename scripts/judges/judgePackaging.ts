import { join } from 'node:path';
import type { Judge } from './judge.ts';
import { PACKAGING } from './packages.ts';
import { runJudge } from './runJudge.ts';

interface TypesProblem {
  readonly kind: string;
  readonly entrypoint?: string;
  readonly resolutionKind?: string;
}

interface PackageMessage {
  readonly code: string;
  readonly type: string;
  readonly path: readonly string[];
}

/** The packed client: do its types resolve, and is its package.json right? */
export const judgePackaging: Judge = async (court) => {
  const { folder, pathOf, versionOf, load } = await court.install('packaging', PACKAGING);
  const { tarball, consumer } = await court.client();
  const program = pathOf('@arethetypeswrong/cli/dist/index.js');
  // The package is an ES module on purpose: `require` of Node.js loads it.
  const args = [program, tarball, '--format', 'json', '--profile', 'esm-only'];
  const { stdout } = await runJudge(process.execPath, args, folder);
  const { analysis, problems = {} } = JSON.parse(stdout) as {
    readonly analysis: { readonly types: unknown };
    readonly problems?: Readonly<Record<string, readonly TypesProblem[]>>;
  };
  const wrong = Object.entries(problems).flatMap(([kind, all]) =>
    all.map((one) => `${kind} ${one.entrypoint ?? ''} ${one.resolutionKind ?? ''}`.trim()),
  );
  const judged = analysis.types ? wrong.filter((one) => !EXPECTED.test(one)) : ['no types were found'];

  const { publint } = await load<{
    publint(options: object): Promise<{ readonly messages: readonly PackageMessage[] }>;
  }>('publint');
  const { messages } = await publint({
    pkgDir: join(consumer, 'node_modules/@florin/client'),
    strict: true,
    pack: false,
  });
  const about = 'the packed client';
  return [
    {
      judge: 'attw',
      version: versionOf('@arethetypeswrong/cli'),
      about: `${about}, profile esm-only`,
      findings: judged,
    },
    {
      judge: 'publint',
      version: versionOf('publint'),
      about: `${about}, strict`,
      findings: messages.map(({ code, type, path }) => `${type} ${code} at ${path.join('.')}`),
    },
  ];
};

/** The profile ignores it: an ES module has no CommonJS build, and `require` of Node.js loads it. */
const EXPECTED = /^CJSResolvesToESM/;
