/** Everything that the console can read. Each is a command of `florin`, or figures from the same functions. */
import type { Reading } from '../../http/console/reading.ts';
import { audit } from './readings/audit.ts';
import { custody } from './readings/books.ts';
import { flows } from './readings/flows.ts';
import { home } from './readings/home.ts';
import { networks } from './readings/networks.ts';
import { payments } from './readings/payments.ts';
import { people } from './readings/people.ts';
import { search } from './readings/search.ts';
import { settings } from './readings/settings.ts';
import { stuck } from './readings/stuck.ts';

export const READINGS: readonly Reading[] = [
  home,
  search,
  ...payments,
  ...people,
  stuck,
  ...custody,
  networks,
  ...flows,
  ...settings,
  audit,
];
