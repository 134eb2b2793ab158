/** `npm run pause`: stops payments, all or some. */
import { PAUSE_HELP, pause } from './managePauses.ts';
import { runCommand } from './runCommand.ts';

runCommand(PAUSE_HELP, pause);
