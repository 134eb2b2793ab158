import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { keepZipped } from './keepZipped.ts';

const ROOT = new URL('../../../../', import.meta.url);
/** Where `npm run build` puts the script, so that production installs no package for it. */
const BUILT = new URL('docs/handbook/viewer.js', ROOT);
const INSTALLED = new URL('node_modules/@scalar/fastify-api-reference/dist/js/standalone.js', ROOT);

/** The viewer's script: three megabytes. */
export const readViewer = keepZipped('text/javascript; charset=utf-8', () =>
  readFile(existsSync(BUILT) ? BUILT : INSTALLED),
);
