/** Reads the alert rules, and evaluates their few forms of expressions on the text of `/metrics`. */
import { readFileSync } from 'node:fs';

interface Alert {
  readonly name: string;
  readonly expr: string;
  readonly runbook: string;
}

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
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
    }));
}

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
export const metricOf = (expr: string): string => match(expr).name!;

/**
 * The series for which it holds now; Prometheus handles how long it has to hold. `before` is an earlier text, for
 * `increase`.
 */
export function evaluate(expr: string, text: string, before = ''): Readonly<Record<string, string>>[] {
  const { minus, inc, name, sel = '', age, op, bound } = match(expr);
  const wanted = [...sel.matchAll(/(\w+)(=~|=)"(.*?)"/g)].map(([, label, how, value]) => ({
    label: label!,
    matches: how === '=' ? (said: string) => said === value : (said: string) => new RegExp(`^(?:${value})$`).test(said),
  }));
  const earlier = parseMetrics(before);
  const now = Date.now() / 1_000;
  return parseMetrics(text)
    .filter((one) => one.name === name)
    .filter(({ labels }) => wanted.every(({ label, matches }) => matches(labels[label] ?? '')))
    .filter(({ labels, value }) => {
      const old = earlier.find((one) => one.name === name && isSame(one.labels, labels))?.value;
      // Prometheus sees no increase in a series that did not exist before.
      if (inc && old === undefined) return false;
      const shown = minus ? now - value : age ? value - now : inc ? value - old! : value;
      return COMPARE[op!]!(shown, Number(bound));
    })
    .map(({ labels }) => labels);
}

const isSame = (one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

function match(expr: string): Record<string, string | undefined> {
  const found = FORM.exec(expr)?.groups;
  if (!found || !COMPARE[found.op!]) throw new Error(`not a supported expression: ${expr}`);
  return found;
}
