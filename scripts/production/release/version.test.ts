import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = <T>(file: string): T =>
  JSON.parse(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')) as T;

it('every package of the repository has the version of the root package, in the lock file too', () => {
  const { version, workspaces } = read<{ version: string; workspaces: string[] }>('package.json');
  const { packages } = read<{ packages: Record<string, { version: string }> }>('package-lock.json');
  const all = ['', ...workspaces].map((folder) => ({
    folder,
    manifest: read<{ version: string }>(folder ? `${folder}/package.json` : 'package.json').version,
    lock: packages[folder]?.version,
  }));
  expect(all.filter((one) => one.manifest !== version || one.lock !== version)).toEqual([]);
});

it('the changelog has a section for it', () => {
  const { version } = read<{ version: string }>('package.json');
  const changelog = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8');
  expect(changelog).toContain(`\n## ${version}`);
});
