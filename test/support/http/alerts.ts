/** Reads the alert rules, and evaluates their few forms of expressions on the text of `/metrics`. */
import { readFileSync } from 'node:fs';

type Labels = Readonly<Record<string, string>>;

interface Alert {
  readonly name: string;
  readonly expr: string;
  readonly runbook: string;
  readonly severity: string;
  /** How long the expression must hold. */
  readonly holdMinutes: number;
}

interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

export function readAlerts(): Alert[] {
  const text = readFileSync(new URL('../../../docs/operating/alerts.yml', import.meta.url), 'utf8');
  return text
    .split(/^ {6}- alert: /m)
    .slice(1)
    .map((rule) => ({
      name: /^(\w+)/.exec(rule)![1]!,
      expr: /^ {8}expr: (['"])(.*)\1$/m.exec(rule)![2]!,
      runbook: /^ {10}runbook: (\S+)$/m.exec(rule)![1]!,
      severity: /^ {10}severity: (\w+)$/m.exec(rule)![1]!,
      holdMinutes: toMinutes(/^ {8}for: (\w+)$/m.exec(rule)![1]!),
    }));
}

/** The tests' PostgreSQL is not durable, and no Prometheus scrapes the process. */
const OF_TESTS = ['FlorinDatabaseCanLose', 'FlorinProcessGone'];

/** The names of the alerts that fire on a text of `/metrics` that has not changed for a while. */
export const findFiring = (text: string): string[] =>
  readAlerts()
    .filter(({ name, expr }) => !OF_TESTS.includes(name) && evaluate(expr, text, text).length > 0)
    .map(({ name }) => name);

const toMinutes = (text: string): number => Number.parseInt(text, 10) * (text.endsWith('h') ? 60 : 1);

const parseMetrics = (text: string): Sample[] =>
  [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name, labels = '', value]) => ({
    name: name!,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, said]) => [key, said])),
    value: Number(value),
  }));

const FORM = new RegExp(
  [
    /^(?<minus>time\(\) - )?(?<inc>increase\()?(?<name>\w+)(?:\{(?<sel>.*?)\})?(?:\[\w+\]\))?/,
    /(?<age> - time\(\))? (?<op>[<>=!]=?) (?<bound>[\d.]+)$/,
  ]
    .map(({ source }) => source)
    .join(''),
);

const COMPARE: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
};

/** The metric of an expression. */
export const metricOf = (expr: string): string => match(expr.split(' or ')[0]!).name!;

/**
 * The series for which it holds now; Prometheus handles how long it has to hold. `before` is an earlier text, for
 * `increase`.
 */
export const evaluate = (expr: string, text: string, before = ''): Labels[] =>
  expr.split(' or ').flatMap((part) => evaluatePart(part, text, before));

function evaluatePart(part: string, text: string, before: string): Labels[] {
  const [, missing, labels] = /^absent\((\w+)\{(.*)\}\)$/.exec(part) ?? [];
  if (missing) return select(text, missing, labels).length > 0 ? [] : [{}];
  const [expr, known] = part.split(' unless ') as [string, string?];
  if (!known) return compare(expr, text, before);
  const { name, sel } = /^(?<name>\w+)\{(?<sel>.*)\} offset \w+$/.exec(known)!.groups!;
  const old = select(before, name!, sel);
  return compare(expr, text, before).filter((one) => !old.some(({ labels: others }) => isSame(one, others)));
}

function select(text: string, name: string, sel = ''): Sample[] {
  const wanted = [...sel.matchAll(/(\w+)(=~|=)"(.*?)"/g)].map(([, label, how, value]) => ({
    label: label!,
    matches: how === '=' ? (said: string) => said === value : (said: string) => new RegExp(`^(?:${value})$`).test(said),
  }));
  return parseMetrics(text)
    .filter((one) => one.name === name)
    .filter(({ labels }) => wanted.every(({ label, matches }) => matches(labels[label] ?? '')));
}

function compare(expr: string, text: string, before: string): Labels[] {
  const { minus, inc, name, sel, age, op, bound } = match(expr);
  const earlier = parseMetrics(before);
  const now = Date.now() / 1_000;
  return select(text, name!, sel)
    .filter(({ labels, value }) => {
      const old = earlier.find((one) => one.name === name && isSame(one.labels, labels))?.value;
      // Prometheus sees no increase in a series that did not exist before.
      if (inc && old === undefined) return false;
      const shown = minus ? now - value : age ? value - now : inc ? value - old! : value;
      return COMPARE[op!]!(shown, Number(bound));
    })
    .map(({ labels }) => labels);
}

const isSame = (one: Labels, other: Labels): boolean => JSON.stringify(one) === JSON.stringify(other);

function match(expr: string): Record<string, string | undefined> {
  const found = FORM.exec(expr)?.groups;
  if (!found || !COMPARE[found.op!]) throw new Error(`not a supported expression: ${expr}`);
  return found;
}
