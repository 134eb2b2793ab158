type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Values that differ from run to run: ids, times, hashes, tokens. Only their kind is compared. */
const PASSING = /^[0-9a-f]{8}-[0-9a-f-]{27}$|^\d{4}-\d\d-\d\dT|^0x|^(fla|flr|fsk|whsec)_/;

/**
 * Returns where an answer differs from the guide; undefined if it does not. The guide may show fewer members and fewer
 * items of a list, and `…` for any value.
 */
export function findDifference(shown: Json, answered: Json | undefined, place = 'answer'): string | undefined {
  if (typeof shown === 'string' && shown.includes('…')) {
    const [before = '', after = ''] = shown.split('…');
    const fits = typeof answered === 'string' && answered.startsWith(before) && answered.endsWith(after);
    return fits ? undefined : `${place} is ${JSON.stringify(answered)}, not ${shown}`;
  }
  if (typeof shown === 'string' && PASSING.test(shown) && typeof answered === 'string' && PASSING.test(answered))
    return undefined;
  if (shown === null || typeof shown !== 'object')
    return shown === answered ? undefined : `${place} is ${JSON.stringify(answered)}, not ${JSON.stringify(shown)}`;
  if (answered === undefined || answered === null || typeof answered !== 'object')
    return `${place} is ${JSON.stringify(answered)}`;
  const parts = answered as { readonly [name: string]: Json };
  for (const [name, member] of Object.entries(shown)) {
    const difference = findDifference(member, parts[name], `${place}.${name}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}
