import { misused } from './faults.ts';

const FORMAT = /^\d{4}-\d\d-\d\d(T([01]\d|2[0-3]):\d\d(:\d\d)?Z)?$/;

/** A day or a time in UTC. */
export function parseTime(text: string, orWord = ''): Date {
  const at = new Date(text);
  if (!FORMAT.test(text) || Number.isNaN(at.getTime()))
    throw misused(`"${text}" is not a day (2027-01-31) or a time (2027-01-31T12:00Z)${orWord}`);
  // The Date constructor turns 30 February into a day of March.
  if (!at.toISOString().startsWith(text.slice(0, 10))) throw misused(`there is no day ${text.slice(0, 10)}`);
  return at;
}
