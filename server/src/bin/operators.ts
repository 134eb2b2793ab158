/** `npm run operators`: who may use which command. */
import { manageOperators, OPERATORS_HELP } from './cli/operator.ts';
import { runCommand } from './cli/runCommand.ts';

runCommand(OPERATORS_HELP, manageOperators);
