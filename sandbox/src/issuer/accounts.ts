import { createHash } from 'node:crypto';
import { shapeUuid } from '../../../server/src/core/ids.ts';

/** A seeded person of the sandbox; other people can log in too. */
export interface Person {
  readonly name: string;
  readonly email: string;
  readonly about: string;
}

/** The rule of `<input type="email">`, with a dot in the domain: page and server accept the same. */
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** Lower-cased; undefined when it is not an e-mail address. */
export function findEmail(text: string | null | undefined): string | undefined {
  const email = (text ?? '').trim().toLowerCase();
  return email.length <= 254 && EMAIL.test(email) ? email : undefined;
}

interface Account {
  readonly accountId: string;
  claims(): Record<string, unknown>;
}

export interface Accounts {
  /** Every e-mail address has an account, which is created at first use. */
  ofEmail(email: string): Account;
  find(accountId: string): Account | undefined;
}

/** The id of an e-mail address at this issuer. */
export const subjectOf = (email: string): string =>
  shapeUuid(createHash('sha256').update(`florin-sandbox:${email}`).digest());

/** Far more accounts than log in between two starts. */
const REMEMBERED = 10_000;

/** The subject is computed from the e-mail address, so it is the same in an emptied sandbox. */
export function createAccounts(people: readonly Person[]): Accounts {
  const emails = new Map<string, string>();
  const render = (accountId: string, email: string): Account => {
    const name = people.find((person) => person.email === email)?.name ?? email.slice(0, email.indexOf('@'));
    return { accountId, claims: () => ({ sub: accountId, email, email_verified: true, name }) };
  };
  return {
    ofEmail(email) {
      const accountId = subjectOf(email);
      emails.delete(accountId);
      emails.set(accountId, email);
      if (emails.size > REMEMBERED) emails.delete(emails.keys().next().value!);
      return render(accountId, email);
    },
    find(accountId) {
      const email = emails.get(accountId);
      return email === undefined ? undefined : render(accountId, email);
    },
  };
}
