/** Chooses what a login tries next. */
import type { Random } from '../../random.ts';
import type { CatalogueFunction } from '../catalogue.ts';
import type { Actor } from '../logins.ts';
import type { Worlds } from '../openWorlds.ts';
import { type Known, knowWorld } from './known.ts';
import { MONEY_TEMPLATES, type Template } from './moneyTemplates.ts';
import { listWrong, mutateValue } from './mutate.ts';
import { OPERATOR_TEMPLATES } from './operatorTemplates.ts';
import { chooseValue } from './pools.ts';
import { chooseScenario } from './scenarios.ts';
import { type Arguments, callOf, type Statement } from './statement.ts';
import { WORKER_TEMPLATES } from './workerTemplates.ts';
import { chooseWrite } from './writes.ts';

const TEMPLATES: Readonly<Record<string, Template>> = {
  ...MONEY_TEMPLATES,
  ...WORKER_TEMPLATES,
  ...OPERATOR_TEMPLATES,
};

export const hasTemplate = (name: string): boolean => name in TEMPLATES;

/** A database transaction of one login. */
export interface Attempt {
  readonly actor: Actor;
  readonly statements: readonly Statement[];
}

function baseOf(random: Random, known: Known, target: CatalogueFunction): Arguments {
  const template = TEMPLATES[target.name];
  if (template) return template(random, known);
  return Object.fromEntries(target.parameters.map(({ name, type }) => [name, chooseValue(random, name, type)]));
}

function callRandomly(random: Random, known: Known, target: CatalogueFunction): Statement {
  const base = baseOf(random, known, target);
  const changed: Record<string, Arguments[string]> = {};
  for (let i = random.int(4); i > 0 && target.parameters.length > 0; i--) {
    const { name, type } = random.pick(target.parameters);
    changed[name] = mutateValue(random, changed[name] ?? base[name] ?? null, name, type);
  }
  return callOf(target, base, changed, hasTemplate(target.name));
}

/** One operator is enough: what differs between them is decided before the arguments are read. */
const TRY_WRONG: readonly Actor[] = ['server', 'worker', 'signer', 'admin'];

/** Each function as our callers call it, and then with one argument wrong, in every way that was ever a fault. */
export function* listFirstAttempts(
  random: Random,
  worlds: Worlds,
  isWanted: (actor: Actor, name: string) => boolean = () => true,
): Generator<Attempt> {
  const known = knowWorld(worlds.baseline);
  for (const [actor, functions] of worlds.functions) {
    for (const target of functions.filter(({ name }) => isWanted(actor, name))) {
      const isTemplated = hasTemplate(target.name);
      const attempt = (changed: Arguments): Attempt => ({
        actor,
        statements: [callOf(target, baseOf(random, known, target), changed, isTemplated)],
      });
      for (let i = isTemplated ? 3 : 1; i > 0; i--) yield attempt({});
      if (!isTemplated || !TRY_WRONG.includes(actor)) continue;
      for (const { name } of target.parameters) {
        for (const wrong of listWrong(baseOf(random, known, target)[name] ?? null)) yield attempt({ [name]: wrong });
      }
    }
  }
}

/** Functions that can write are tried more often than those that only read. */
function weigh(functions: readonly CatalogueFunction[]): CatalogueFunction[] {
  return functions.flatMap((target) => {
    const weight = target.name in MONEY_TEMPLATES ? 12 : hasTemplate(target.name) ? 4 : 1;
    return Array.from({ length: weight }, () => target);
  });
}

export function openGenerator(random: Random, worlds: Worlds): () => Attempt {
  const known = knowWorld(worlds.baseline);
  const weighed = new Map([...worlds.functions].map(([actor, functions]) => [actor, weigh(functions)]));
  // Servers and workers can do most.
  const actors: Actor[] = [
    'server',
    'server',
    'server',
    'server',
    'worker',
    'worker',
    'worker',
    'signer',
    'admin',
    'admin',
    'risk',
    'support',
    'removed',
    'reader',
    'console',
  ];
  // A login that may write nothing and call nothing has nothing to try: `theTable` says what it may read.
  const able = actors.filter((actor) => worlds.tables.get(actor)!.length + weighed.get(actor)!.length > 0);
  const choose = (actor: Actor): Statement => {
    const tables = worlds.tables.get(actor)!;
    const functions = weighed.get(actor)!;
    if (functions.length === 0 || (tables.length > 0 && random.chance(0.25))) {
      const table = random.pick(tables);
      return chooseWrite(random, table, worlds.baseline, worlds.keys.get(table.table)!);
    }
    return callRandomly(random, known, random.pick(functions));
  };
  return () => {
    const actor = random.pick(able);
    if (random.chance(0.04)) {
      const statements = chooseScenario(random, known, actor, worlds.functions.get(actor)!);
      if (statements) return { actor, statements };
    }
    const length = random.chance(0.85) ? 1 : 2 + random.int(2);
    return { actor, statements: Array.from({ length }, () => choose(actor)) };
  };
}
