/** Finds statements and functions that touch no table. If in doubt, it assumes that they do. */
interface FunctionText {
  readonly name: string;
  readonly is_immutable: boolean;
  readonly source: string;
}

/** SQL that contains none of these words reaches no table, lock or sequence. */
const TOUCHING =
  /\b(from|join|table|insert|update|delete|merge|lock|truncate|execute|copy|open|fetch|call|nextval|setval|currval|set_config|pg_\w+|gen_random_uuid|query)\b/i;

/** Removes comments, string literals, and the one FROM that names no table. */
const strip = (text: string): string =>
  text
    .replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, ' ')
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/\bdistinct\s+from\b/gi, '=');

function touches(text: string, known: ReadonlySet<string>, inert: ReadonlySet<string>): boolean {
  if (TOUCHING.test(text)) return true;
  return [...text.matchAll(/([a-z_]\w*)\s*\(/gi)].some(([, name]) => {
    const word = name!.toLowerCase();
    return known.has(word) && !inert.has(word);
  });
}

/**
 * A statement before which no stop is needed: A reads and writes nothing in it. RETURN needs one, because what follows it is
 * the commit, or the row of a trigger.
 */
export const isInert = (head: string, known: ReadonlySet<string>, inert: ReadonlySet<string>): boolean =>
  !/^return\b(?!\s+next\b)/i.test(head) && !touches(strip(head), known, inert);

/** Functions that reach no table, also by the functions that they call. */
export function findInert(functions: readonly FunctionText[]): Set<string> {
  const names = new Set(functions.map(({ name }) => name));
  const bodies = functions.map(({ name, is_immutable: isImmutable, source }) => ({
    name,
    isImmutable,
    text: strip(source),
  }));
  const inert = new Set<string>();
  for (let before = -1; before < inert.size; ) {
    before = inert.size;
    for (const { name, isImmutable, text } of bodies) {
      const isOverloaded = bodies.filter((one) => one.name === name).length > 1;
      if (!isOverloaded && (isImmutable || !touches(text, names, inert))) inert.add(name);
    }
  }
  return inert;
}
