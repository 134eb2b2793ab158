/** The commands of a page of `docs/operating/`, in order: everything in `sh` blocks. */
import { readFileSync } from 'node:fs';

export interface Block {
  /**
   * `values`: what a reader fills in, one `export` per line. `process`: a process of the service, which keeps running.
   * `postgres`: typed as the user that PostgreSQL runs under. `shell`: anything else.
   */
  readonly kind: 'values' | 'process' | 'postgres' | 'shell';
  readonly text: string;
}

interface Section {
  readonly heading: string;
  readonly blocks: readonly Block[];
}

export const PROCESS = /^(?:\w+=\S+ )?florin (signer|server|worker) --env-file \S+\n$/;

export function readPage(name: string): Section[] {
  const text = readFileSync(new URL(`../../../docs/operating/${name}.md`, import.meta.url), 'utf8');
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      heading: part.slice(0, part.indexOf('\n')),
      blocks: [...part.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => ({ kind: kindOf(block!), text: block! })),
    }));
}

function kindOf(text: string): Block['kind'] {
  if (text.startsWith('# your values\n')) return 'values';
  if (text.startsWith('# as postgres\n')) return 'postgres';
  return PROCESS.test(text) ? 'process' : 'shell';
}

/** The names that a block of values requires. */
export const namesIn = ({ text }: Block): string[] => [...text.matchAll(/^export (\w+)=/gm)].map((match) => match[1]!);
