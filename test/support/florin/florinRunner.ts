/**
 * Runs many `florin` commands in one process: tests type many commands, and each process start costs most of a second.
 */
import { NOUNS } from '../../../server/src/bin/cli/nouns.ts';
import { parseCommandLine } from '../../../server/src/bin/program/parseCommandLine.ts';
import { runProgram } from '../../../server/src/bin/program/runProgram.ts';

interface Typed {
  readonly id: number;
  readonly args: readonly string[];
  /** The whole environment of this command. */
  readonly env: Readonly<Record<string, string>>;
}

// Every command listens for a closed pipe.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);

const collect = (stream: NodeJS.WriteStream) => {
  const { write } = stream;
  let text = '';
  stream.write = (chunk: string | Uint8Array) => {
    text += chunk;
    return true;
  };
  return () => {
    stream.write = write;
    return text;
  };
};

async function run({ args, env }: Typed) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.exitCode = 0;
  const [stdout, stderr] = [collect(process.stdout), collect(process.stderr)];
  try {
    // An operator answers the question at a terminal.
    const asked = await parseCommandLine(NOUNS, args).catch(() => undefined);
    const asks = asked?.kind === 'run' && asked.verb.plan !== undefined;
    await runProgram(NOUNS, asks ? [...args, '--yes'] : args);
    return { code: Number(process.exitCode), stdout: stdout(), stderr: stderr() };
  } finally {
    stdout();
    stderr();
    process.exitCode = 0;
  }
}

let last: Promise<unknown> = Promise.resolve();
process.on('message', (typed: Typed) => {
  last = last.then(async () => process.send?.({ id: typed.id, ...(await run(typed)) }));
});
process.on('disconnect', () => process.exit());
