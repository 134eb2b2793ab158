import type { DedicatedConnection, Statement } from '../../db/openDedicatedConnection.ts';
import { type Epoch, isSameEpoch, seeEpoch } from '../../ledger/epoch.ts';
import { noteLoss } from '../../operators/noteLoss.ts';
import { SERVICE } from './plainPayment.ts';

export interface NamedPerson {
  readonly userId: string;
  /** Their current name. */
  readonly username: string;
}

/** The names that a page of history needs. */
interface NamesAsked {
  /** Lower-cased. */
  readonly names: ReadonlySet<string>;
  /** People who ask by a name of their own. */
  readonly userIds: ReadonlySet<string>;
  readonly accountIds: ReadonlySet<string>;
}

interface Found {
  readonly people: readonly { key: string; user_id: string; username: string; lasting: boolean }[] | null;
  readonly accounts: readonly { account_id: number; username: string | null; service: boolean }[] | null;
}

/**
 * One snapshot: the epoch and the names in it, as in `resolveParties`. A person's own names are read by the person's
 * id, so that other people's names and unused names take the same time.
 */
const READ_NAMES: Statement = {
  name: 'read_names',
  text: `
    SELECT l.names_epoch, l.names_random, l.names_changed <= $4::bigint, ledger_epoch_standing('names', $4, $5),
      json_build_object(
        'people', (
          SELECT json_agg(json_build_object('key', asked.key, 'user_id', asked.user_id, 'username', today.username,
                                            'lasting', asked.lasting))
            FROM (
              SELECT n.username AS key, n.user_id, n.redirect_until IS NULL AS lasting
                FROM unnest($1::text[]) AS given(name) JOIN usernames n ON n.username = given.name
               WHERE n.redirect_until IS NULL OR n.redirect_until > now()
              UNION ALL
              SELECT n.user_id || ' ' || n.username, n.user_id, n.redirect_until IS NULL
                FROM unnest($2::uuid[]) AS given(user_id) JOIN usernames n ON n.user_id = given.user_id
               WHERE n.redirect_until IS NULL OR n.redirect_until > now()
            ) asked
            JOIN usernames today ON today.user_id = asked.user_id AND today.redirect_until IS NULL),
        'accounts', (
          SELECT json_agg(json_build_object('account_id', x.account_id, 'username', today.username,
                                            'service', x.user_id IS NULL))
            FROM accounts x LEFT JOIN usernames today ON today.user_id = x.user_id AND today.redirect_until IS NULL
           WHERE x.account_id = ANY ($3::bigint[])))
      FROM ledger_state l`,
};

const MAX_KEPT = 200_000;

export interface NameCache {
  readonly epoch: Epoch | undefined;
  /** Incremented when a name that was returned may have become wrong. */
  readonly generation: number;
  findPerson(key: string): NamedPerson | undefined;
  /** Undefined: not known yet. Null: no name. SERVICE: an account of the service. */
  findName(accountId: string): string | null | undefined;
  /** Reads the requested names and caches them. Also returns them, for those that are not cached. */
  read(connection: DedicatedConnection, asked: NamesAsked): Promise<NamesRead>;
}

interface NamesRead {
  /** The epoch of the snapshot in which they were read. */
  readonly epoch: Epoch;
  readonly people: ReadonlyMap<string, NamedPerson>;
  readonly names: ReadonlyMap<string, string | null>;
}

/** The key of a person who asks by a name of their own; other people are looked up by the name alone. */
export const ownKey = (userId: string, name: string): string => `${userId} ${name}`;

/**
 * The names that this process caches, as of an epoch of `ledger_state`: they are true in every snapshot with this
 * epoch. Old names that redirect expire, and people without a name may take one, so neither are cached.
 */
export function createNameCache(): NameCache {
  const people = new Map<string, NamedPerson>();
  const names = new Map<string, string>();
  let epoch: Epoch | undefined;
  let generation = 0;

  return {
    get epoch() {
      return epoch;
    },
    get generation() {
      return generation;
    },
    findPerson: (key) => people.get(key),
    findName: (accountId) => names.get(accountId),
    read: readNames,
  };

  async function readNames(connection: DedicatedConnection, asked: NamesAsked): Promise<NamesRead> {
    const since = epoch;
    const [row] = await connection.run(READ_NAMES, [
      `{${[...asked.names].map((name) => `"${name}"`).join(',')}}`,
      `{${[...asked.userIds].join(',')}}`,
      `{${[...asked.accountIds].join(',')}}`,
      since?.counter ?? null,
      since?.random ?? null,
    ]);
    const [counter, random, isUnchanged, standing, text] = row!;
    if (since && standing === 'lost') {
      // A standby may only be older than the cache.
      if (connection.primary) return readNames(connection.primary, asked);
      await noteLoss(connection, 'names', since);
    }
    const seen = seeEpoch(counter!, random!);
    // Another connection has moved on to a different epoch meanwhile: cache nothing of this one.
    const isNow = isSameEpoch(epoch, seen) || epoch === since;
    if (isNow && !isSameEpoch(epoch, seen)) {
      if (!(isUnchanged === 't' && standing === 'held')) {
        people.clear();
        names.clear();
        generation++;
      }
      epoch = seen;
    }
    if (people.size + names.size > MAX_KEPT) {
      people.clear();
      names.clear();
    }
    return keep(JSON.parse(text!) as Found, seen, isNow);
  }

  function keep(found: Found, seen: Epoch, isNow: boolean): NamesRead {
    const read = { epoch: seen, people: new Map<string, NamedPerson>(), names: new Map<string, string | null>() };
    for (const { key, user_id: userId, username, lasting } of found.people ?? []) {
      const person = { userId, username };
      read.people.set(key, person);
      if (lasting && isNow) people.set(key, person);
    }
    for (const { account_id: accountId, username, service } of found.accounts ?? []) {
      const name = service ? SERVICE : username;
      read.names.set(String(accountId), name);
      if (name !== null && isNow) names.set(String(accountId), name);
    }
    return read;
  }
}
