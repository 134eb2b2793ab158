import { spawn } from 'node:child_process';
import { argumentsOf } from '../../../sandbox/src/processes.ts';

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Florin {
  /** Returns the output of the command. Rejects with code, `stdout` and `stderr` unless it exits with 0. */
  type(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
  close(): void;
}

/** The program `florin`, which reads one command line after another (`florinRunner.ts`). */
export function openFlorin(): Florin {
  const child = spawn(process.execPath, argumentsOf('test/support/florin/florinRunner'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const waiting = new Map<number, (said: Said | Error) => void>();
  let typed = 0;
  child.on('message', ({ id, ...said }: Said & { readonly id: number }) => {
    waiting.get(id)?.(said);
    waiting.delete(id);
  });
  child.once('exit', (code) => {
    for (const end of waiting.values()) end(new Error(`the program ended with ${code}`));
  });
  return {
    async type(args, env = {}) {
      const id = ++typed;
      const said = await new Promise<Said | Error>((resolve) => {
        waiting.set(id, resolve);
        child.send({ id, args, env: { ...process.env, ...env } });
      });
      if (said instanceof Error) throw said;
      if (said.code !== 0) throw Object.assign(new Error(`florin ${args.join(' ')}: ${said.stderr}`), said);
      return said.stdout;
    },
    close: () => child.disconnect(),
  };
}
