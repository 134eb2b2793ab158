/** The values that filters offer. */
import { facts } from './facts.ts';
import { t } from './text/text.ts';

const STATES = [
  'INITIATED',
  'CLEARED',
  'QUEUED',
  'SENT',
  'STUCK',
  'CONFIRMED',
  'COMPLETE',
  'FAILED',
  'DENIED',
  'CANCELLED',
];

const name = (values: readonly string[], nameOf: (value: string) => string): Readonly<Record<string, string>> =>
  Object.fromEntries(values.map((value) => [value, nameOf(value)]));

export const states = () => name(STATES, (state) => t(`state.${state}`));
export const kinds = () => name(['user', 'chain', 'deposit', 'correction', 'debt'], (kind) => t(`kind.${kind}`));
export const blockchains = () =>
  name([...new Set([facts.home_blockchain, ...Object.keys(facts.explorers)])], (one) => one);
