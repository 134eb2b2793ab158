import { describe, expect, it } from 'vitest';
import { createIgnore, parseDockerfile } from './parseDockerfile.ts';

describe('a Dockerfile', () => {
  it('is parsed into its stages, with the folder of every step', () => {
    const [build, last] = parseDockerfile(
      [
        'FROM node:22 AS build',
        'WORKDIR /src',
        '# a comment',
        'COPY a.json b.json ./',
        'RUN npm ci',
        'FROM node:22',
        'COPY --from=build --chown=root:root /src/dist /app',
        'USER 65532:65532',
        'ENV A=1 B=two',
        'HEALTHCHECK --interval=10s CMD ["node", "-e", "1"]',
        'ENTRYPOINT ["node", "/app/florin"]',
        'CMD ["server"]',
      ].join('\n'),
    );
    expect(build).toMatchObject({
      name: 'build',
      steps: [
        { kind: 'copy', from: undefined, sources: ['a.json', 'b.json'], target: './', folder: '/src' },
        { kind: 'run', command: 'npm ci', folder: '/src' },
      ],
    });
    expect(last).toMatchObject({
      steps: [{ kind: 'copy', from: 'build', sources: ['/src/dist'], target: '/app' }],
      user: '65532:65532',
      env: { A: '1', B: 'two' },
      entrypoint: ['node', '/app/florin'],
      command: ['server'],
      healthcheck: ['node', '-e', '1'],
    });
  });

  it('with an unknown step is refused', () => {
    expect(() => parseDockerfile('FROM a\nADD http://example.com/x /x')).toThrow(/unknown step: ADD/);
    expect(() => parseDockerfile('RUN true')).toThrow(/before the first FROM/);
  });
});

it('in .dockerignore, the last matching line decides', () => {
  const isIgnored = createIgnore(
    '# no\n.git\n**/node_modules\nexamples/*\n!examples/login/package.json\n.env\n.env.*\n!.env.example\n',
  );
  const paths = ['.git/config', 'a/node_modules/b', 'node_modules/b', 'examples/login/src.ts', '.env', '.env.local'];
  expect(paths.filter((path) => !isIgnored(path))).toEqual([]);
  const kept = ['.gitignore', 'examples/login/package.json', '.env.example', 'server/src/a.ts'];
  expect(kept.filter(isIgnored)).toEqual([]);
});
