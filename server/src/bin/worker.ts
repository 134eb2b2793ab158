/** One worker process: signs, carries, watches, settles and reconciles. Any number may run on one database. */
import { loadConfig } from './config/config.ts';
import { runProcess } from './runProcess.ts';
import { startWorker } from './startWorker.ts';

runProcess(loadConfig, startWorker);
