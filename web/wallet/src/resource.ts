/** Data from the service: cached data is shown immediately, and read again after a change. */
import { useEffect } from 'react';
import { createStore, type Store, useStore } from './store.ts';

interface Read<T> {
  readonly data?: T;
  readonly error?: unknown;
  /** When `data` was read. */
  readonly at?: number;
}

interface Resource<T> {
  readonly store: Store<Read<T>>;
  load: () => Promise<T>;
  underWay: Promise<void> | undefined;
  isStale: boolean;
  /** Read so recently that its first screen need not read it again. */
  isFresh: boolean;
  users: number;
  /** Counts updates that arrived without a read: a read that began before is older. */
  puts: number;
}

const resources = new Map<string, Resource<unknown>>();

/** Whether the error ends the session, and is shown as such instead of in the place of the data. */
let endsSession = (_error: unknown): boolean => false;
export const onFailedRead = (handle: typeof endsSession): void => {
  endsSession = handle;
};

function read<T>(resource: Resource<T>): Promise<void> {
  if (resource.underWay) {
    // A running read may have been answered before the change.
    resource.isStale = true;
    return resource.underWay;
  }
  resource.isStale = false;
  const { puts } = resource;
  resource.underWay = resource
    .load()
    .then((data) => {
      // It may have been answered before an update that arrived meanwhile, so it is read again.
      if (resource.puts === puts) resource.store.set({ data, at: Date.now() });
      else resource.isStale = true;
    })
    .catch((error: unknown) => {
      if (!endsSession(error)) resource.store.set({ ...resource.store.get(), error });
    })
    .finally(() => {
      resource.underWay = undefined;
      if (resource.isStale && resource.users > 0) void read(resource);
    });
  return resource.underWay;
}

const find = <T>(key: string, load: () => Promise<T>): Resource<T> => {
  const known = resources.get(key) as Resource<T> | undefined;
  if (known) {
    known.load = load;
    return known;
  }
  const made: Resource<T> = {
    store: createStore<Read<T>>({}),
    load,
    underWay: undefined,
    isStale: false,
    isFresh: false,
    users: 0,
    puts: 0,
  };
  resources.set(key, made as Resource<unknown>);
  return made;
};

export function useResource<T>(key: string, load: () => Promise<T>): Read<T> {
  const resource = find(key, load);
  useEffect(() => show(resource), [resource]);
  return useStore(resource.store);
}

/** Marks the resource as shown; the returned function ends that. */
function show<T>(resource: Resource<T>): () => void {
  resource.users++;
  if (!resource.isFresh) void read(resource);
  resource.isFresh = false;
  return () => {
    resource.users--;
  };
}

/** The work of `useResource`, without a component. */
export function follow<T>(key: string, load: () => Promise<T>): { readonly store: Store<Read<T>>; end(): void } {
  const resource = find(key, load);
  return { store: resource.store, end: show(resource) };
}

/** Stores data that came with another answer. */
export function seed<T>(key: string, load: () => Promise<T>, data: T): void {
  const resource = find(key, load);
  resource.isFresh = true;
  resource.store.set({ data, at: Date.now() });
}

/** Reads again the shown resources whose key has this prefix; the others are read when they are shown. */
export function refresh(prefix: string): void {
  for (const [key, resource] of resources) if (key.startsWith(prefix) && resource.users > 0) void read(resource);
}

/** Stores data from an event, without a read, unless the known data is newer. */
export function put<T>(key: string, data: T, isOlder: (than: T) => boolean): void {
  const resource = resources.get(key) as Resource<T> | undefined;
  const known = resource?.store.get().data;
  if (!resource || (known !== undefined && isOlder(known))) return;
  resource.puts++;
  resource.store.set({ data, at: Date.now() });
}
