/** `npm run limits`: shows and changes what people may spend. */
import { LIMITS_HELP, manageLimits } from './cli/limit.ts';
import { runCommand } from './cli/runCommand.ts';

runCommand(LIMITS_HELP, manageLimits);
