import type { Queryable } from '../../db/database.ts';
import { listOperators } from '../../operators/operators.ts';
import { type AuditActor, nameOf } from '../../operators/recordAudit.ts';
import { CommandFault, EXIT } from './faults.ts';

/** Before the question: an approval needs a named operator with the role admin or risk. */
export async function requireApprover(db: Queryable, actor: AuditActor): Promise<void> {
  const objection = await findObjection(db, nameOf(actor));
  if (objection !== undefined) throw new CommandFault(objection, EXIT.forbidden);
}

/** PostgreSQL has refused this operator, or the one who proposed it. */
export async function describeNotOperator(db: Queryable, actor: AuditActor): Promise<CommandFault> {
  const objection = await findObjection(db, nameOf(actor));
  const message =
    objection ?? 'the operator who proposed it may no longer approve: propose it again, as another operator';
  return new CommandFault(message, EXIT.forbidden);
}

async function findObjection(db: Queryable, login: string): Promise<string | undefined> {
  const approvers = (await listOperators(db)).filter(({ role }) => role !== 'support').map(({ name }) => name);
  if (approvers.includes(login)) return undefined;
  if (approvers.length === 0)
    return `Two operators must decide this, and no operator has been added who may. Add both by their database logins, an admin first: florin operator add LOGIN --role admin, then florin operator add LOGIN --role risk`;
  return `${login} is not a named operator who may approve; ${approvers.join(', ')} may. An admin can add you: florin operator add ${login} --role risk`;
}
