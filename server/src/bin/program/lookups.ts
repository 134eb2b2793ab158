import { findPerson } from '../../customers/findPerson.ts';
import type { Queryable } from '../../db/database.ts';
import { findUuid } from '../../http/contract/parseUuid.ts';
import { misused, unknown } from './faults.ts';

/** By username, user id, wallet address or e-mail address. */
export async function findUserId(db: Queryable, text: string): Promise<string> {
  const found = await findPerson(db, findUuid(text) ?? text);
  if (!found) throw unknown(`there is no person ${text}: use a username, user id, address or e-mail address`);
  return found;
}

/** Parses an id. `where` is the command that shows it. */
export function parseId(text: string | undefined, what: string, where: string): string {
  const id = findUuid(text ?? '');
  if (!id) throw misused(`"${text ?? ''}" is not the id of a ${what}, as ${where} shows it`);
  return id;
}
