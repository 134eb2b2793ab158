import { execFile } from 'node:child_process';

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const MOST_BYTES = 64_000_000;
const TIMEOUT_MS = 300_000;

/** Runs a program of a judge. A code other than 0 is a part of what it says. */
export const runJudge = (program: string, args: readonly string[], cwd: string): Promise<Said> =>
  new Promise((done, failed) => {
    // Its colours would be a part of what is compared.
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' };
    execFile(program, args, { cwd, env, maxBuffer: MOST_BYTES, timeout: TIMEOUT_MS }, (error, stdout, stderr) => {
      if (error && typeof error.code !== 'number') failed(error);
      else done({ code: Number(error?.code ?? 0), stdout, stderr });
    });
  });
