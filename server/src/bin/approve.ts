/** `npm run approve`: lists, approves and denies sends that wait for two people. */
import { APPROVALS_HELP, manageApprovals } from './cli/approval.ts';
import { runCommand } from './cli/runCommand.ts';

runCommand(APPROVALS_HELP, manageApprovals);
