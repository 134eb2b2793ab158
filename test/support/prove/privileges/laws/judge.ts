/** All laws, and the definition of a fault. */
import { accountKeys } from './accountKeys.ts';
import { audit } from './audit.ts';
import { books } from './books.ts';
import type { Deed, Law } from './law.ts';
import { limits } from './limits.ts';
import { movements } from './movements.ts';
import { findUnallowed } from './theTable.ts';
import { twoPeople } from './twoPeople.ts';

export interface Breach {
  readonly law: string;
  readonly what: string;
}

const table: Law = (deed) =>
  deed.changes.flatMap((change) => {
    const unallowed = findUnallowed(change, deed);
    return unallowed ? [`${deed.actor} may not ${unallowed} ${change.table}`] : [];
  });

const LAWS: Readonly<Record<string, Law>> = { books, movements, limits, twoPeople, accountKeys, audit, table };

export const judge = (deed: Deed): Breach[] =>
  Object.entries(LAWS).flatMap(([law, find]) => [...new Set(find(deed))].map((what) => ({ law, what })));
