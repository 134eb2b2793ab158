import { findPerson } from '../../customers/findPerson.ts';
import { readProfile } from '../../customers/readProfile.ts';
import type { Queryable } from '../../db/database.ts';
import { findUuid } from '../../http/contract/parseUuid.ts';
import { listBlockchains } from '../../ledger/assets.ts';
import { identify } from '../../payments/search/identify.ts';
import { misused, unknown } from './faults.ts';
import { readReference, refuseReference } from './references.ts';
import { suggest } from './suggest.ts';

/** By username, user id, wallet (address or id), e-mail address or session id. */
export async function findUserId(db: Queryable, text: string): Promise<string> {
  const word = readReference(text);
  const found = await findPerson(db, word);
  if (found) return found;
  const named = await identify(db, word);
  if (named?.kind === 'person') return named.id;
  if (named) return refuseReference(db, word, 'a person');
  throw unknown(`there is no person ${text}; florin user list --name TEXT searches for a part of a name`);
}

/** Who it is, and whether their identity is known: for the person who decides. */
export async function describePerson(db: Queryable, userId: string): Promise<string> {
  const profile = await readProfile(db, userId);
  if (!profile) return `user ${userId}`;
  return `${profile.username ?? 'a person without a username'} (user ${userId}, identity check: ${profile.kycStatus})`;
}

/** Parses an id. `where` is the command that shows it. */
export function parseId(text: string | undefined, what: string, where: string): string {
  const id = findUuid(readReference(text ?? ''));
  if (!id) throw misused(`"${text ?? ''}" is not the id of a ${what}, as ${where} shows it`);
  return id;
}

/** Only a blockchain that the database knows: a misspelled name must not pass for a change. */
export async function parseBlockchain(db: Queryable, text: string): Promise<string> {
  const known = await listBlockchains(db);
  if (known.includes(text)) return text;
  const list = known.length > 0 ? `this database knows ${known.join(', ')}` : 'this database knows none yet';
  throw unknown(`there is no blockchain ${text}${suggest(text, known)}; ${list}`);
}

/** One of a closed list of words, with a suggestion for a misspelled one. */
export function parseWord<Word extends string>(text: string | undefined, what: string, words: readonly Word[]): Word {
  const found = words.find((one) => one === text);
  if (found !== undefined) return found;
  if (text === undefined) throw misused(`${what} is missing: one of ${words.join(', ')}`);
  throw misused(`${what} is not "${text}"${suggest(text, words)}; it is one of ${words.join(', ')}`);
}
