/**
 * Routes like Starlette: templates are matched against the percent-decoded path, case-sensitively, and `{name}` matches
 * one segment. A path that would match without its trailing slashes, or with one added, is redirected, for every
 * method.
 */
import { quote, unquote } from './url.ts';

interface Route<T> {
  readonly template: string;
  /** By method, upper case. */
  readonly targets: ReadonlyMap<string, T>;
  /** The methods, for `Allow`. */
  readonly allow: string;
}

interface Match<T> {
  readonly route: Route<T>;
  readonly params: Readonly<Record<string, string>>;
}

interface Router<T> {
  /** `target` is the path of the request line, still escaped and without its query. */
  readonly find: (target: string) => Match<T> | undefined;
  /** Where to redirect a path that was not found; `query` is given without its question mark. */
  readonly findRedirect: (target: string, query: string) => string | undefined;
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

export function createRouter<T>(targets: readonly { template: string; method: string; target: T }[]): Router<T> {
  const byTemplate = new Map<string, Map<string, T>>();
  for (const { template, method, target } of targets) {
    const methods = byTemplate.get(template) ?? new Map<string, T>();
    if (methods.has(method)) throw new TypeError(`${method} ${template} is mounted twice`);
    byTemplate.set(template, methods.set(method, target));
  }

  const fixed = new Map<string, Match<T>>();
  const open: { pattern: RegExp; names: string[]; route: Route<T> }[] = [];
  for (const [template, methods] of byTemplate) {
    const route: Route<T> = { template, targets: methods, allow: [...methods.keys()].join(', ') };
    const names = [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
    if (names.length > 0) open.push({ pattern: compileTemplate(template), names, route });
    else fixed.set(template, { route, params: NO_PARAMS });
  }

  function match(path: string): Match<T> | undefined {
    const found = fixed.get(path);
    if (found) return found;
    for (const { pattern, names, route } of open) {
      const groups = pattern.exec(path);
      if (groups) return { route, params: Object.fromEntries(names.map((name, i) => [name, groups[i + 1] as string])) };
    }
    // In the reference, a path can end in a newline, because Python's `$` also matches before one.
    return path.endsWith('\n') ? fixed.get(path.slice(0, -1)) : undefined;
  }

  return {
    find: (target) => fixed.get(target) ?? match(unquote(target)),
    findRedirect: (target, query) => {
      const path = unquote(target);
      if (path === '/') return undefined;
      const other = path.endsWith('/') ? withoutSlashes(path) : `${path}/`;
      return match(other) && quote(query === '' ? other : `${other}?${query}`);
    },
  };
}

/** A loop, because `/\/+$/` takes quadratic time on a path of slashes. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (path.charCodeAt(end - 1) === 0x2f) end--;
  return path.slice(0, end);
}

function compileTemplate(template: string): RegExp {
  const source = template
    .split(/(\{\w+\})/)
    .map((part) => (part.startsWith('{') ? '([^/]+)' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('');
  return new RegExp(`^${source}$`);
}
