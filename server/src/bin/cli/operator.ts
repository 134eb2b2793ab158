import { findViolatedConstraint } from '../../db/database.ts';
import { isLogin, listOperators, ROLES, type Role, removeOperator, setOperator } from '../../operators/operators.ts';
import { countIdentities, findOperatorOf, linkOperator, unlinkOperator } from '../../operators/roster.ts';
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

const link = verb({
  summary: 'Lets an operator log in to the console with an OpenID account',
  about: `SUBJECT is the id of the person at the issuer (the claim sub of their ID tokens). ISSUER is named as in FLORIN_OIDC_ISSUERS of
the console: its identity, or the URL of the issuer. The console asks for the password of the database login too.`,
  words: ['LOGIN', 'ISSUER', 'SUBJECT'],
  examples: ['operator link anna https://login.example.com 3f0c9a4e'],
  async plan({ db, allow }, { words: [word, issuer = '', subject = ''] }) {
    const name = parseLogin(word);
    if (issuer.length > 500 || subject.length > 255) throw misused('ISSUER or SUBJECT is too long');
    await allow('operators');
    const before = await findOperatorOf(db, { issuer, subject });
    return {
      title: `Let this OpenID account log in to the console as ${name}.`,
      facts: [
        ['issuer', issuer],
        ['subject', subject],
      ],
      changes: [{ what: 'logs in as', before: before ?? 'no one', after: name }],
      async carryOut() {
        await linkOperator(db, name, { issuer, subject }).catch((error: unknown) => {
          if (findViolatedConstraint(error) !== 'operator_identities_name_fkey') throw error;
          throw unknown(`there is no operator ${name}: florin operator list`);
        });
        return `${name} can now log in to the console with it.\n`;
      },
    };
  },
});

const unlink = verb({
  summary: 'Removes all OpenID accounts of an operator from the console, and ends their sessions there',
  words: ['LOGIN'],
  examples: ['operator unlink anna'],
  async plan({ db, allow }, { words: [word] }) {
    const name = parseLogin(word);
    await allow('operators');
    const count = (await countIdentities(db)).get(name) ?? 0;
    if (count === 0) return `${name} has no OpenID account.\n`;
    return {
      title: `${name} can no longer log in to the console.`,
      changes: [{ what: 'OpenID accounts', before: String(count), after: '0' }],
      async carryOut() {
        await unlinkOperator(db, name);
        return `${name} can no longer log in to the console.\n`;
      },
    };
  },
});

export default {
  about: `Who may use which command. The database login identifies an operator (docs/operating/database-roles.md).
Roles: admin (everything), risk (limits, pauses, approvals, cancelling), support (pauses of single people, cancelling).
Reading needs no role. Until a named admin has their own login, everyone with an operator's login may do
everything. The first operator must be an admin.`,
  verbs: { list, add, remove, link, unlink },
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
