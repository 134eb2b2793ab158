/** `npm run limits`: shows and changes what people may spend. */
import { LIMITS_HELP, manageLimits } from './manageLimits.ts';
import { runCommand } from './runCommand.ts';

runCommand(LIMITS_HELP, manageLimits);
