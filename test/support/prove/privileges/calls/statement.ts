/** A generated statement: what a caller of ours would send, and what was changed in it. */
import type { CatalogueFunction } from '../catalogue.ts';
import { renderSql, type Value } from '../value.ts';

export interface Statement {
  /** The function, or the table that is written directly. */
  readonly name: string;
  readonly sql: string;
  /** Whether it comes from a template of a valid call. */
  readonly isTemplated: boolean;
  /** Nothing was changed in it. */
  readonly isValid: boolean;
  /** The same statement with one change less, for finding the smallest fault. */
  readonly simpler: readonly (() => Statement)[];
}

export type Arguments = Readonly<Record<string, Value>>;

export function callOf(
  target: CatalogueFunction,
  base: Arguments,
  changed: Arguments = {},
  isTemplated = true,
): Statement {
  const args = target.parameters.map(({ name, type }) => {
    const value = name in changed ? changed[name]! : (base[name] ?? null);
    return `${name} => ${renderSql(value, type)}`;
  });
  if (target.isVariadic) args[args.length - 1] = `VARIADIC ${args.at(-1)}`;
  return {
    name: target.name,
    sql: `SELECT * FROM ${target.name}(${args.join(', ')})`,
    isTemplated,
    isValid: isTemplated && Object.keys(changed).length === 0,
    simpler: Object.keys(changed).map((name) => () => {
      const { [name]: _, ...rest } = changed;
      return callOf(target, base, rest, isTemplated);
    }),
  };
}
