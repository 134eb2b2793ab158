/** `npm run keys`: makes, lists and revokes the keys of other services. */
import { KEYS_HELP, manageKeys } from './cli/key.ts';
import { runCommand } from './cli/runCommand.ts';

runCommand(KEYS_HELP, manageKeys);
