/** `npm run pause`: stops payments, all or some. */
import { PAUSE_HELP, pause } from './cli/pause.ts';
import { runCommand } from './cli/runCommand.ts';

runCommand(PAUSE_HELP, pause);
