/** The judges, at the versions that have judged. They are no dependencies of Florin: `npm run judges` installs them. */
export const REDOCLY = { '@redocly/cli': '2.77.0' };
export const SPECTRAL = { '@stoplight/spectral-cli': '6.16.3' };
export const PRISM = { '@stoplight/prism-cli': '5.16.0' };
export const PACKAGING = { '@arethetypeswrong/cli': '0.18.5', publint: '0.3.25' };
export const RECEIVERS = { standardwebhooks: '1.1.1', svix: '2.5.0' };
export const EVENTSOURCE = { eventsource: '5.1.5' };
export const OIDC = { 'oidc-provider': '9.13.3' };
export const OTLP = { '@opentelemetry/otlp-transformer': '0.205.0' };
export const BUNDLERS = { vite: '8.3.8', esbuild: '0.28.2' };

/** Node.js as npm packages, by major version. */
const machine = `node-${process.platform}-${process.arch}`;
export const NODES = {
  node20: `npm:${machine}@20.20.2`,
  node22: `npm:${machine}@22.23.3`,
  node24: `npm:${machine}@24.21.0`,
};

interface Generator {
  readonly name: string;
  readonly packages: Readonly<Record<string, string>>;
  /** The file that Node.js runs. */
  readonly program: string;
  /** It needs a newer Node.js than Florin. */
  readonly needsNode24?: true;
  /** `output`: without an extension, which `extension` adds. */
  readonly args: (input: string, output: string) => readonly string[];
  readonly extension: '.ts' | '';
}

export const GENERATORS: readonly Generator[] = [
  {
    name: 'openapi-typescript',
    packages: { 'openapi-typescript': '7.13.0', typescript: '5.9.3' },
    program: 'openapi-typescript/bin/cli.js',
    args: (input, output) => [input, '-o', output],
    extension: '.ts',
  },
  {
    name: '@hey-api/openapi-ts',
    packages: { '@hey-api/openapi-ts': '0.99.0', typescript: '6.0.3' },
    program: '.bin/openapi-ts',
    needsNode24: true,
    args: (input, output) => ['-i', input, '-o', output],
    extension: '',
  },
  {
    name: 'swagger-typescript-api',
    packages: { 'swagger-typescript-api': '13.13.0' },
    program: '.bin/swagger-typescript-api',
    args: (input, output) => ['generate', '-p', input, '-o', output, '-n', 'api.ts'],
    extension: '',
  },
  {
    name: 'oazapfts',
    packages: { oazapfts: '7.5.0', '@oazapfts/runtime': '1.2.0' },
    program: '.bin/oazapfts',
    args: (input, output) => [input, output],
    extension: '.ts',
  },
  {
    name: 'openapi-typescript-codegen',
    packages: { 'openapi-typescript-codegen': '0.31.0' },
    program: 'openapi-typescript-codegen/bin/index.js',
    args: (input, output) => ['--input', input, '--output', output],
    extension: '',
  },
];
