/**
 * The note of a payment: one line of text for both parties. Control characters could break the line, and those that change
 * the direction of text could make a name or an amount beside the note read differently. The OpenAPI documents and the
 * table `payment_notes` have the same rule. Docs: docs/decisions/0052-notes.md.
 */
export const MAX_NOTE = 140;

/** Characters that no note contains, and halves of surrogate pairs. */
export const NOT_IN_NOTES = /[\p{Cc}\p{Cs}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** Lengths are in code points. */
export const isNote = (text: string): boolean =>
  text.trim() !== '' && [...text].length <= MAX_NOTE && !NOT_IN_NOTES.test(text);
