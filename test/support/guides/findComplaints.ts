import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const compiler = resolve(import.meta.dirname, '../../../node_modules/typescript/bin/tsc');

/** Compiles the project of this folder: the file and line of each error. */
export async function findComplaints(place: string): Promise<string[]> {
  const said = await run(process.execPath, [compiler, '-p', place, '--pretty', 'false'], { cwd: place }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
  const complaints = said.split('\n').filter((line) => /error TS/.test(line));
  return complaints.map((line) => /^\S*?(\w+\.ts)\((\d+)/.exec(line)?.slice(1).join(' ') ?? line);
}
