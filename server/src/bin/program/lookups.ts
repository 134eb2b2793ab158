import { findPerson } from '../../customers/findPerson.ts';
import type { Queryable } from '../../db/database.ts';
import { findUuid } from '../../http/contract/parseUuid.ts';
import { identify } from '../../payments/search/identify.ts';
import { misused, unknown } from './faults.ts';
import { readReference, refuseReference } from './references.ts';

/** By username, user id, wallet (address or id), e-mail address or session id. */
export async function findUserId(db: Queryable, text: string): Promise<string> {
  const word = readReference(text);
  const found = await findPerson(db, word);
  if (found) return found;
  const named = await identify(db, word);
  if (named?.kind === 'person') return named.id;
  if (named) return refuseReference(db, word, 'a person');
  throw unknown(`there is no person ${text}: use a username, user id, address or e-mail address`);
}

/** Parses an id. `where` is the command that shows it. */
export function parseId(text: string | undefined, what: string, where: string): string {
  const id = findUuid(readReference(text ?? ''));
  if (!id) throw misused(`"${text ?? ''}" is not the id of a ${what}, as ${where} shows it`);
  return id;
}
