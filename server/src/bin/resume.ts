/** `npm run resume`: lets payments go on. */
import { PAUSE_HELP, resume } from './cli/pause.ts';
import { runCommand } from './cli/runCommand.ts';

runCommand(PAUSE_HELP, resume);
