import type { DedicatedConnection } from '../../db/openDedicatedConnection.ts';
import { type Epoch, isSameEpoch } from '../../ledger/epoch.ts';
import type { NameCache, NamedPerson } from './nameCache.ts';
import { keyOf, type PageAsked } from './pageAsked.ts';
import { type Line, listParties } from './plainPayment.ts';

export interface PageNames {
  /** Undefined: nothing is cached, and no name was requested. */
  readonly epoch: Epoch | undefined;
  findPerson(key: string): NamedPerson | undefined;
  findName(accountId: string): string | null | undefined;
  /** Reads the names of everyone on these lines. False: names have changed meanwhile. */
  remember(lines: readonly Line[]): Promise<boolean>;
}

/**
 * The names that a batch needs, all from one epoch. They are copied from the cache, which another batch may clear at
 * any time; names that were read only for this batch are discarded with it.
 */
export async function findNames(
  connection: DedicatedConnection,
  known: NameCache,
  asked: readonly PageAsked[],
): Promise<PageNames> {
  const names = new Map<string, string | null>();
  let search = startSearch(known.epoch);
  for (;;) {
    // A name was changed meanwhile: people who were known before may not be known now.
    if (search.epoch !== known.epoch) search = startSearch(known.epoch);
    for (const key of asked.map(keyOf)) {
      const person = known.findPerson(key);
      if (person) search.people.set(key, person);
    }
    const open = asked.filter((one) => !search.people.has(keyOf(one)) && !search.tried.has(keyOf(one)));
    if (search.epoch !== undefined && open.length === 0) break;
    const read = await known.read(connection, {
      names: new Set(open.flatMap(({ caller, name }) => (caller ? [] : name))),
      userIds: new Set(open.flatMap(({ caller }) => caller?.userId ?? [])),
      accountIds: new Set(),
    });
    if (!isSameEpoch(known.epoch, read.epoch)) continue;
    if (search.epoch !== known.epoch) search = startSearch(known.epoch);
    for (const one of open) search.tried.add(keyOf(one));
    for (const [key, person] of read.people) search.people.set(key, person);
  }
  const { epoch, people } = search;
  return {
    epoch,
    findPerson: (key: string): NamedPerson | undefined => people.get(key),
    findName: (accountId: string): string | null | undefined => names.get(accountId),
    async remember(lines: readonly Line[]): Promise<boolean> {
      if (known.epoch !== epoch) return false;
      const accountIds = new Set<string>();
      for (const id of lines.flatMap(listParties)) {
        const name = known.findName(id);
        if (name === undefined) accountIds.add(id);
        else names.set(id, name);
      }
      if (accountIds.size === 0) return true;
      const read = await known.read(connection, { names: new Set(), userIds: new Set(), accountIds });
      for (const [id, name] of read.names) names.set(id, name);
      return isSameEpoch(epoch, read.epoch);
    },
  };
}

/** The names that one batch has requested and found in an epoch. */
const startSearch = (epoch: Epoch | undefined) => ({
  epoch,
  tried: new Set<string>(),
  people: new Map<string, NamedPerson>(),
});
