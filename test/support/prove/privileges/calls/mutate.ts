/** Makes a good argument bad in one place. */
import type { Random } from '../../random.ts';
import { isJson, isList, isSql, type Json, type Value } from '../value.ts';
import { chooseValue, HUGE } from './pools.ts';

/** One change of one argument; `type` is the parameter's. */
export function mutateValue(random: Random, value: Value, name: string, type: string): Value {
  if (random.chance(0.12)) return null;
  if (value === null || isSql(value)) return chooseValue(random, name, type);
  if (isJson(value)) return { json: mutateJson(random, value.json) };
  if (isList(value)) return mutateList(random, value, name, type);
  return mutateScalar(random, value, name, type);
}

/** The most frequent faults of arguments: missing, not positive, too large, out of range, of unequal length. */
export function listWrong(value: Value): Value[] {
  if (typeof value === 'bigint') return [null, null, 0n, -value, HUGE];
  if (!isList(value)) return [null, null];
  const rest = value.slice(1);
  const odd: Value[] = typeof value[0] === 'bigint' ? [null, -value[0], BigInt(value.length + 1), HUGE] : [null];
  return [null, [], rest, [...value, ...value.slice(-1)], ...odd.map((one) => [one, ...rest])];
}

function mutateScalar(random: Random, value: boolean | bigint | string, name: string, type: string): Value {
  if (typeof value === 'bigint' && random.chance(0.7)) {
    return random.pick([0n, -1n, -value, value + 1n, value - 1n, value * 2n, 3n, HUGE, -HUGE]);
  }
  return chooseValue(random, name, type);
}

function mutateList(random: Random, list: readonly Value[], name: string, type: string): Value {
  const element = type.replace(/\[\]$/, '');
  const at = random.int(Math.max(list.length, 1));
  switch (random.int(8)) {
    case 0:
      return list.slice(0, -1);
    case 1:
      return [...list, list[at] ?? null];
    case 2:
      return [...list, chooseValue(random, name, element)];
    case 3:
      return random.chance(0.5) ? [] : [list, list];
    case 4:
      return list.toReversed();
    default:
      return list.map((one, i) => (i === at ? mutateValue(random, one, name, element) : one));
  }
}

const ODD_JSON: readonly Json[] = [null, 0, -1, 1, '0', '-1000000', '1', String(HUGE), '', {}, [], true, false, 'x'];

function mutateJson(random: Random, json: Json, name = ''): Json {
  if (json === null || typeof json !== 'object') {
    return random.chance(0.5) ? random.pick(ODD_JSON) : chooseJson(random, json, name);
  }
  if (Array.isArray(json)) {
    if (json.length === 0 || random.chance(0.15)) return random.pick<Json>([[], [null], [...json, ...json], null]);
    const at = random.int(json.length);
    return json.map((one, i) => (i === at ? mutateJson(random, one as Json, name) : (one as Json)));
  }
  const entries = Object.entries(json as Record<string, Json>);
  if (entries.length === 0) return random.pick(ODD_JSON);
  const [field, old] = random.pick(entries);
  if (random.chance(0.15)) return Object.fromEntries(entries.filter(([name]) => name !== field));
  return { ...(json as Record<string, Json>), [field]: mutateJson(random, old, field) };
}

/** Another value that the field could have. */
function chooseJson(random: Random, old: Json, name: string): Json {
  const isId = typeof old === 'string' && /^[0-9a-f]{8}-/.test(old);
  const type =
    isId || /^(wallet|person|caller|session|payer|key)$/.test(name)
      ? 'uuid'
      : typeof old === 'number'
        ? 'bigint'
        : 'text';
  const value = chooseValue(random, name, type);
  return typeof value === 'bigint' ? String(value) : (value as string);
}
