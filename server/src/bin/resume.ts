/** `npm run resume`: lets payments go on. */
import { PAUSE_HELP, resume } from './managePauses.ts';
import { runCommand } from './runCommand.ts';

runCommand(PAUSE_HELP, resume);
