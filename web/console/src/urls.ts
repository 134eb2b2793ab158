/** Filters, order and page of a list are in the URL: a link shows what its sender saw. */
import { go, useRoute } from '../../wallet/src/router.tsx';

export interface Listing {
  /** The value of a filter, or ''. */
  get(name: string): string;
  /** Replaces the URL, from the first page. An empty value removes the filter. */
  set(changes: Readonly<Record<string, string>>): void;
  readonly hasFilters: boolean;
  /** The query of the server's list: filters, order and page. */
  readonly query: URLSearchParams;
}

const PLACES = ['after', 'offset'];

/** `names`: the filters that this list has. Other parts of the URL are not sent to the server. */
export function useListing(names: readonly string[]): Listing {
  const { path, query } = useRoute();
  const known = new URLSearchParams();
  for (const name of [...names, 'sort', ...PLACES]) {
    const value = query.get(name);
    if (value !== null && value !== '') known.set(name, value);
  }
  return {
    get: (name) => query.get(name) ?? '',
    set(changes) {
      const next = new URLSearchParams(query);
      for (const place of PLACES) next.delete(place);
      for (const [name, value] of Object.entries(changes)) {
        if (value === '') next.delete(name);
        else next.set(name, value);
      }
      go(withQuery(path, next), { replace: true });
    },
    hasFilters: names.some((name) => known.has(name)),
    query: known,
  };
}

export const withQuery = (path: string, query: URLSearchParams): string => {
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
};

/** The same list as a file, without the page. */
export function csvOf(path: string, query: URLSearchParams, most: number): string {
  const whole = new URLSearchParams(query);
  for (const place of PLACES) whole.delete(place);
  whole.set('format', 'csv');
  whole.set('limit', String(most));
  return withQuery(path, whole);
}
