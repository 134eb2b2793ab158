import { createHash } from 'node:crypto';
import { shapeUuid } from '../../../server/src/core/ids.ts';

/** Somebody the sandbox knows by name; everybody else can log in too. */
export interface Person {
  readonly name: string;
  readonly email: string;
  readonly about: string;
}

/** The rule of `<input type="email">`, with a dot in the domain: what the page accepts, the server accepts. */
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** Lower-cased, or undefined when it is no e-mail address. */
export function findEmail(text: string | null | undefined): string | undefined {
  const email = (text ?? '').trim().toLowerCase();
  return email.length <= 254 && EMAIL.test(email) ? email : undefined;
}

interface Account {
  readonly accountId: string;
  claims(): Record<string, unknown>;
}

export interface Accounts {
  /** Makes the account when there is none: every e-mail address has one. */
  ofEmail(email: string): Account;
  find(accountId: string): Account | undefined;
}

/** Far more than people log in between two starts, and small enough to forget nothing that matters. */
const REMEMBERED = 10_000;

/** The subject follows from the e-mail address, so an emptied sandbox gives everybody the same one again. */
export function createAccounts(people: readonly Person[]): Accounts {
  const emails = new Map<string, string>();
  const render = (accountId: string, email: string): Account => {
    const name = people.find((person) => person.email === email)?.name ?? email.slice(0, email.indexOf('@'));
    return { accountId, claims: () => ({ sub: accountId, email, email_verified: true, name }) };
  };
  return {
    ofEmail(email) {
      const accountId = shapeUuid(createHash('sha256').update(`florin-sandbox:${email}`).digest());
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
