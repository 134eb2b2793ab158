import { readFileSync } from 'node:fs';

/** What the sandbox has written for the examples; nothing while it has not. */
export function readExamples(file: string | undefined): Readonly<Record<string, string>> {
  if (file === undefined) return {};
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  } catch {
    return {};
  }
}
