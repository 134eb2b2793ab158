/** The owners of names, and the requests stored under idempotency keys. */
import type { State } from './state.ts';

/** The owner of a name. */
export const findPerson = (state: State, name: string): string | undefined =>
  Object.entries(state.people).find(
    ([, person]) => !person.closed && (person.name === name || person.oldNames.includes(name)),
  )?.[0];

/** The name of a thing that gets a new id each time: the second one is `name2`. */
export const nameNew = (known: readonly string[], name: string): string =>
  known.includes(name) ? nameNew(known, `${name}2`) : name;

export const hasSession = (state: State, who: string, session: string): boolean =>
  state.people[who]!.sessions.includes(session) && !state.restored?.sessions.includes(session);

/** A key from before a restore is refused until an operator confirms it. */
export const isKeyRefused = (state: State, key: string): boolean =>
  state.keys[key]?.revoked !== false || (state.restored?.keys.includes(key) ?? false);

/** The keys of accounts, by owner. They end with all sessions. */
const OWN_KEYS: Readonly<Record<string, string>> = { ownKey: 'alice' };

export function endKeysOf(state: State, who: string): void {
  for (const [name, key] of Object.entries(state.keys)) if (OWN_KEYS[name] === who) endKey(state, name, key);
}

export function endKey(state: State, name: string, key: State['keys'][string]): void {
  if (!key.revoked && name in OWN_KEYS) state.feed.push(`key.revoked ${name}`);
  key.revoked = true;
}

/** Refusals that are temporary, or that concern only the caller, are not stored under the key. */
export const NOT_STORED = ['user.paused', 'service.paused', 'auth.invalid'];

/** Whether the key belongs to a request with another body. */
export const isOtherBody = (state: State, id: string, body: string): boolean =>
  state.bodies[id] !== undefined && state.bodies[id] !== body;
