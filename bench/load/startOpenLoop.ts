import { fork } from 'node:child_process';
import type { Answered, OpenLoad } from './openLoop.ts';

interface OpenLoop {
  run(load: OpenLoad): Promise<Answered>;
  stop(): void;
}

/** The load generator of `openLoop.ts`, in its own process. */
export function startOpenLoop(): OpenLoop {
  const child = fork(new URL('./openLoop.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  return {
    run: (load) =>
      new Promise<Answered>((done, fail) => {
        const onExit = (code: number | null) => fail(new Error(`the load ended with ${code}`));
        child.once('exit', onExit);
        child.once('message', (answered) => {
          child.off('exit', onExit);
          done(answered as Answered);
        });
        child.send(load);
      }),
    stop: () => void child.kill(),
  };
}
