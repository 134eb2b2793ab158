/** `npm run operators`: who may use which command. */
import { manageOperators, OPERATORS_HELP } from './manageOperators.ts';
import { runCommand } from './runCommand.ts';

runCommand(OPERATORS_HELP, manageOperators);
