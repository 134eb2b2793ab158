import { findViolatedConstraint } from '../../db/database.ts';
import { listOperators, ROLES, type Role, removeOperator, setOperator } from '../../operators/operators.ts';
import { type Noun, verb } from '../program/command.ts';
import { CommandFault, misused, unknown } from '../program/faults.ts';
import { renderTable } from '../program/render.ts';

const list = verb({
  says: 'Shows who is an operator, and with which role',
  reads: true,
  async run({ db }) {
    const operators = await listOperators(db);
    const json = operators.map(({ name, role }) => ({ name, role }));
    if (operators.length === 0)
      return { text: "There are no operators: everyone with an operator's login may do everything.\n", json };
    return { text: renderTable([['name', 'role'], ...operators.map((one) => [one.name, one.role])]), json };
  },
});

const add = verb({
  says: 'Names an operator by their database login, or gives them another role',
  words: ['LOGIN'],
  options: { role: { type: 'string', value: 'ROLE', says: ROLES.join(', ') } },
  examples: ['operator add anna --role admin'],
  async run({ db, allow }, { words: [word], options }) {
    const name = parseLogin(word);
    const role = parseRole(options.role);
    await allow('operators');
    await setOperator(db, { name, role }).catch(explain);
    return `${name} is now ${role}.\n`;
  },
});

const remove = verb({
  says: 'Takes the role from an operator',
  words: ['LOGIN'],
  examples: ['operator remove anna'],
  async run({ db, allow }, { words: [word] }) {
    const name = parseLogin(word);
    await allow('operators');
    if (!(await removeOperator(db, name).catch(explain))) throw unknown(`there is no operator ${name}`);
    return `${name} is no longer an operator.\n`;
  },
});

export default {
  about: `Who may use which command. Operators are known by their database login (docs/operating/database-roles.md).
Roles: admin (everything), risk (limits, pauses, approvals, cancelling), support (pauses of single people, cancelling).
Reading needs no role. While no named admin has a login of their own, everyone with an operator's login may do
everything. The first operator must be an admin.`,
  verbs: { list, add, remove },
} satisfies Noun;

function explain(error: unknown): never {
  if (findViolatedConstraint(error) !== 'operators_have_an_admin') throw error;
  throw new CommandFault('at least one admin must be left');
}

function parseLogin(text: string | undefined): string {
  if (!text || text.length > 100 || text.includes('\0')) throw misused('LOGIN is at most 100 characters');
  return text;
}

function parseRole(text: string | undefined): Role {
  const role = ROLES.find((one) => one === text);
  if (!role) throw misused(`say the role with --role: ${ROLES.join(', ')}`);
  return role;
}
