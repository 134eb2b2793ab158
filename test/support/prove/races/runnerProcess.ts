/** The process of `forkRunner`. */
import { serveJobs } from '../forkJobs.ts';
import { openRunner } from './openRunner.ts';

serveJobs(await openRunner(Number.parseInt(process.argv[2]!, 10)));
