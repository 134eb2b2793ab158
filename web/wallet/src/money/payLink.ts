/** Links to pay a person: `/pay/@alice?amount=7&note=Dinner`. They come from strangers, so what does not fit is dropped. */
import { findAmount } from './amounts.ts';
import { findNote } from './notes.ts';

export interface PayLink {
  readonly username: string;
  readonly amount?: string | undefined;
  readonly note?: string | undefined;
}

const NAME = /^(?:@|%40)?([A-Za-z0-9_]{3,30})$/i;

/** `name`: the part of the path after `/pay/`. Undefined: it is no username. */
export function readPayLink(name: string, query: URLSearchParams): PayLink | undefined {
  const username = NAME.exec(name)?.[1]?.toLowerCase();
  if (username === undefined) return undefined;
  return { username, amount: findAmount(query.get('amount') ?? ''), note: findNote(query.get('note') ?? '') };
}

/** Undefined: the text is no such link of the wallet at `origin`. */
export function findPayLink(text: string, origin: string): PayLink | undefined {
  const path = text.startsWith(`${origin}/pay/`) ? text.slice(`${origin}/pay/`.length) : undefined;
  if (path === undefined) return undefined;
  const [name = '', query = ''] = path.split('#')[0]!.split('?');
  return readPayLink(name, new URLSearchParams(query));
}

export function writePayLink(origin: string, { username, amount, note }: PayLink): string {
  const given = Object.entries({ amount, note }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const query = new URLSearchParams(given).toString();
  return `${origin}/pay/@${username}${query && `?${query}`}`;
}
