/** `npm run keys`: makes, lists and revokes the keys of other services. */
import { KEYS_HELP, manageKeys } from './manageKeys.ts';
import { runCommand } from './runCommand.ts';

runCommand(KEYS_HELP, manageKeys);
