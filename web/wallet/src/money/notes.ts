/** Notes that people type or paste. The service refuses what this removes: docs/decisions/0052-notes.md. */
export const MAX_NOTE = 140;

const BREAKS = /[\p{Cc}\u2028\u2029]+/gu;
const DIRECTIONS = /[\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** One line of at most 140 characters. A pasted line end becomes a space; marks that turn text around disappear. */
export const cleanNote = (text: string): string =>
  [...text.replace(BREAKS, ' ').replace(DIRECTIONS, '')].slice(0, MAX_NOTE).join('');

/** Undefined if there is nothing to read in it. */
export const findNote = (text: string): string | undefined => cleanNote(text).trim() || undefined;
