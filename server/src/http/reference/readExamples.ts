import { readFileSync } from 'node:fs';

/** The examples that the sandbox has written; nothing before that. */
export function readExamples(file: string | undefined): Readonly<Record<string, string>> {
  if (file === undefined) return {};
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  } catch {
    return {};
  }
}
