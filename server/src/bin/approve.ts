/** `npm run approve`: lists, approves and denies sends that wait for two people. */
import { APPROVALS_HELP, manageApprovals } from './manageApprovals.ts';
import { runCommand } from './runCommand.ts';

runCommand(APPROVALS_HELP, manageApprovals);
