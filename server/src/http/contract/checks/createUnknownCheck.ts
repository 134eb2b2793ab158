/**
 * Names that the document does not have: members of a body and query parameters. Our own operations refuse them, because
 * dropping a misspelt `payer_username` would do something else than the caller asked for. The operations of the given
 * interface ignore them, as its callers expect, and a header says so.
 */
import { findNearest } from '../../../core/findNearest.ts';
import type { JsonValue } from '../json.ts';
import type { OperationObject } from '../openapi.ts';
import { createIssue, type ItemShape } from './issue.ts';

/**
 * Compares the names of a body or a query with the known ones: adds an item for a 422, or a text for the header to
 * `warnings`.
 */
type UnknownCheck = (given: Readonly<Record<string, JsonValue>>, items: string[], warnings: string[]) => void;

export const WARNING_HEADER = 'Florin-Warning';

/** A body of 256 KiB can have 40,000 members; the answer names this many of them. */
const MOST_NAMED = 5;
const LONGEST_NAME = 64;

export const ignoresUnknown = (operation: OperationObject): boolean => operation['x-unknown-fields'] === 'ignored';

export function createUnknownCheck(
  known: readonly string[],
  { place, shape, isIgnored }: { place: 'body' | 'query'; shape: ItemShape; isIgnored: boolean },
): UnknownCheck {
  const names = new Set(known);
  const what = place === 'body' ? 'field' : 'parameter';
  return (given, items, warnings) => {
    let count = 0;
    for (const name in given) {
      if (names.has(name)) continue;
      if (count++ === MOST_NAMED) return;
      const short = name.slice(0, LONGEST_NAME);
      const nearest = findNearest(name, known);
      if (isIgnored)
        warnings.push(`unknown ${what} ${printName(short)}${nearest ? `, did you mean "${nearest}"?` : ''}`);
      else {
        const msg = `Unknown ${what}${nearest ? `. Did you mean '${nearest}'?` : ''}`;
        // The type that Pydantic gives for models that forbid other members.
        items.push(createIssue(shape, [place, short], 'extra_forbidden', msg)(given[name]!));
      }
    }
  };
}

/** A header takes printable ASCII only. */
const printName = (name: string): string =>
  JSON.stringify(name).replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
