/**
 * Runs a `curl` command of a guide without curl, which not every machine has. Supports the options that our guides use.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchChecked } from '../http/fetchChecked.ts';

/** Words as a shell reads them: quotes, variables outside single quotes, and continued lines. */
export function splitWords(text: string, variables: Readonly<Record<string, string>> = {}): string[] {
  const fill = (part: string) =>
    part.replace(
      /\\(["\\$])|\$(\w+)/g,
      (_, escaped: string | undefined, name: string) => escaped ?? variables[name] ?? '',
    );
  return [...text.replaceAll('\\\n', ' ').matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|([^'"]+)/g, (_, single?: string, double?: string, bare?: string) =>
      single === undefined ? fill(double ?? bare ?? '') : single,
    ),
  );
}

/** Returns the body. `folder`: where files are read from. */
export const runCurl = async (
  text: string,
  variables: Readonly<Record<string, string>>,
  folder: string,
): Promise<string> => (await askAsCurl(text, variables, folder)).text();

export async function askAsCurl(
  text: string,
  variables: Readonly<Record<string, string>>,
  folder: string,
): Promise<Response> {
  const [program, ...words] = splitWords(text, variables);
  if (program !== 'curl') throw new Error(`${program} is not curl`);
  const headers: Record<string, string> = {};
  let [url, method, body] = ['', 'GET', undefined as string | undefined];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === '-s' || word === '-i') continue;
    if (word === '-X') method = words[++i]!;
    else if (word === '-d') body = words[++i]!;
    else if (word === '--data-binary') body = readFileSync(join(folder, words[++i]!.slice(1)), 'utf8');
    else if (word === '-H') {
      const [, name = '', value = ''] = /^([^:]+): *(.*)$/.exec(words[++i]!) ?? [];
      headers[name] = value;
    } else if (word.startsWith('-')) throw new Error(`this curl has no option ${word}`);
    else url = word;
  }
  return fetchChecked(url, { method, headers, ...(body !== undefined && { body }) });
}
