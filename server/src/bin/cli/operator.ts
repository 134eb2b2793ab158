import { findViolatedConstraint } from '../../db/database.ts';
import { isLogin, listOperators, ROLES, type Role, removeOperator, setOperator } from '../../operators/operators.ts';
import { type Noun, verb } from '../program/command.ts';
import { CommandFault, misused, unknown } from '../program/faults.ts';
import { parseWord } from '../program/lookups.ts';
import { renderTable } from '../program/render.ts';
import { suggest } from '../program/suggest.ts';

const list = verb({
  summary: 'Shows the operators and their roles',
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
  summary: 'Adds an operator by database login, or changes their role',
  words: ['LOGIN'],
  options: { role: { type: 'string', value: 'ROLE', summary: ROLES.join(', ') } },
  examples: ['operator add anna --role admin'],
  async plan({ db, allow }, { words: [word], options }) {
    const name = parseLogin(word);
    const role = parseWord(options.role, '--role', ROLES);
    await allow('operators');
    const operators = await listOperators(db);
    const before = operators.find((one) => one.name === name)?.role;
    const hasLogin = await isLogin(db, name);
    return {
      title: `Make ${name} an operator with the role ${role}.`,
      changes: [{ what: 'may use', before: describeRole(before, operators), after: DEEDS[role] }],
      warning: hasLogin
        ? undefined
        : `this database has no login ${name}. The role counts when someone creates the login (docs/operating/database-roles.md)`,
      async carryOut() {
        await setOperator(db, { name, role }).catch(explain);
        return `${name} is now ${role}.\n`;
      },
    };
  },
});

const remove = verb({
  summary: 'Removes an operator',
  words: ['LOGIN'],
  examples: ['operator remove anna'],
  async plan({ db, allow }, { words: [word] }) {
    const name = parseLogin(word);
    await allow('operators');
    const operators = await listOperators(db);
    const known = operators.find((one) => one.name === name);
    const names = operators.map((one) => one.name);
    const refuse = () => unknown(`there is no operator ${name}${suggest(name, names)}: florin operator list`);
    if (!known) throw refuse();
    return {
      title: `Remove the operator ${name}. Approvals that still wait for another operator no longer count.`,
      changes: [{ what: 'may use', before: DEEDS[known.role], after: 'nothing that changes something' }],
      async carryOut() {
        if (!(await removeOperator(db, name).catch(explain))) throw refuse();
        return `${name} is no longer an operator.\n`;
      },
    };
  },
});

export default {
  about: `Who may use which command. The database login identifies an operator (docs/operating/database-roles.md).
Roles: admin (everything), risk (limits, pauses, approvals, cancelling), support (pauses of single people, cancelling).
Reading needs no role. Until a named admin has their own login, everyone with an operator's login may do
everything. The first operator must be an admin.`,
  verbs: { list, add, remove },
} satisfies Noun;

function explain(error: unknown): never {
  if (findViolatedConstraint(error) !== 'operators_have_an_admin') throw error;
  throw new CommandFault('at least one admin must be left');
}

function parseLogin(text: string | undefined): string {
  if (!text || text.length > 100 || text.includes('\0')) throw misused('LOGIN can have at most 100 characters');
  return text;
}

const DEEDS: Readonly<Record<Role, string>> = {
  admin: 'everything (admin)',
  risk: 'limits, pauses, approvals, cancelling, ending sessions (risk)',
  support: 'pauses of single people, cancelling, ending sessions (support)',
};

const describeRole = (role: Role | undefined, operators: readonly unknown[]): string =>
  role
    ? DEEDS[role]
    : operators.length === 0
      ? 'everything: there are no operators yet'
      : 'nothing that changes something';
