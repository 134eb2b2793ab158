/** Jobs of a proof in separate processes, each with its own databases in the same PostgreSQL. */
import { fork } from 'node:child_process';

export interface Runner<Job, Result> {
  run(job: Job): Promise<Result>;
  close(): Promise<void>;
}

/** `file` calls `serveJobs`. */
export function forkJobs<Job, Result>(file: string, args: readonly string[] = []): Runner<Job, Result> {
  const child = fork(file, args);
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  return {
    run: (job) =>
      new Promise((done, fail) => {
        const onExit = (code: number | null) => fail(new Error(`a process of the proof ended with ${code}`));
        child.once('exit', onExit);
        child.once('message', (result) => {
          child.off('exit', onExit);
          done(result as Result);
        });
        child.send(job as object);
      }),
    async close() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** In the process of `forkJobs`: runs the jobs that its parent sends until the parent disconnects. */
export function serveJobs<Job, Result>(runner: Runner<Job, Result>): void {
  let last: Promise<void> = Promise.resolve();
  process.on('message', (job: Job) => {
    last = last.then(async () => void process.send!(await runner.run(job)));
    last.catch((error: unknown) => {
      console.error(error);
      process.exit(1);
    });
  });
  process.once('disconnect', () => void last.then(() => runner.close()).then(() => process.exit(0)));
}
