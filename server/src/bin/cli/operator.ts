import { parseArgs } from 'node:util';
import { findViolatedConstraint } from '../../db/database.ts';
import { listOperators, ROLES, type Role, removeOperator, setOperator } from '../../operators/operators.ts';
import { type Command, CommandFault, refuseUnlessAllowed, renderTable } from './runCommand.ts';

export const OPERATORS_HELP = `Who may use which command. Operators are known by their database login.

  npm run operators -- set --name ada --role admin
  npm run operators -- remove --name ada
  npm run operators -- list

Roles: admin (everything), risk (limits, pauses, approvals, cancelling), support (pauses of single people, cancelling). While no named admin
has a login of their own, everyone with an operator's login may do everything. The first operator must be an admin.
`;

export const manageOperators: Command = async (db, args) => {
  const { command, name, role } = parseCommand(args);
  if (command === 'list') {
    const operators = await listOperators(db);
    if (operators.length === 0) return "There are no operators: everyone with an operator's login may do everything.\n";
    return renderTable([['name', 'role'], ...operators.map((one) => [one.name, one.role])]);
  }
  if (!name || name.length > 100 || name.includes('\0')) throw new CommandFault(`${command} needs --name`);
  await refuseUnlessAllowed(db, 'operators');
  try {
    if (command === 'set') await setOperator(db, { name, role: parseRole(role) });
    else if (!(await removeOperator(db, name))) throw new CommandFault(`there is no operator ${name}`);
  } catch (error) {
    if (findViolatedConstraint(error) !== 'operators_have_an_admin') throw error;
    throw new CommandFault('at least one admin must be left');
  }
  return command === 'set' ? `${name} is now ${role}.\n` : `${name} is no longer an operator.\n`;
};

function parseRole(text: string | undefined): Role {
  const role = ROLES.find((one) => one === text);
  if (!role) throw new CommandFault(`set needs --role: ${ROLES.join(', ')}`);
  return role;
}

function parseCommand(args: readonly string[]) {
  let parsed: { values: { name?: string; role?: string }; positionals: string[] };
  try {
    const options = { name: { type: 'string' }, role: { type: 'string' } } as const;
    parsed = parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new CommandFault((error as Error).message);
  }
  const command = parsed.positionals.join(' ');
  if (!['set', 'remove', 'list'].includes(command)) {
    throw new CommandFault(`there is no command "${command}"\n\n${OPERATORS_HELP}`);
  }
  return { command, ...parsed.values };
}
