/** One server process: both APIs and the operations port. Any number of them may run on one database. */
import { loadConfig } from './config/config.ts';
import { runProcess } from './runProcess.ts';
import { startServer } from './startServer.ts';

runProcess(loadConfig, startServer);
