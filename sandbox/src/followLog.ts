import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

const POLL_MS = 300;
/** After a burst of lines, only the newest are shown. */
const WINDOW_BYTES = 256 * 1024;

/**
 * Shows the server's warnings and errors in the terminal. The server writes its log file itself, so that the log
 * survives the sandbox and a busy API never waits for us to read.
 */
export function followLog(file: string, show: (line: string) => void): () => void {
  let offset = existsSync(file) ? statSync(file).size : 0;
  let rest = '';
  const timer = setInterval(() => {
    if (!existsSync(file)) return;
    const handle = openSync(file, 'r');
    try {
      const { size } = fstatSync(handle);
      if (size < offset) offset = 0;
      if (size === offset) return;
      offset = Math.max(offset, size - WINDOW_BYTES);
      const chunk = Buffer.alloc(size - offset);
      offset += readSync(handle, chunk, 0, chunk.length, offset);
      const lines = (rest + chunk.toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const brief = findWarning(line);
        if (brief) show(brief);
      }
    } finally {
      closeSync(handle);
    }
  }, POLL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function findWarning(line: string): string | undefined {
  if (!/"level":"(warn|error|fatal)"/.test(line)) return undefined;
  try {
    const { level, msg, err } = JSON.parse(line) as { level: string; msg?: string; err?: { message?: string } };
    return `API ${level}: ${[msg, err?.message].filter(Boolean).join(': ').slice(0, 300)}`;
  } catch {
    return undefined;
  }
}
