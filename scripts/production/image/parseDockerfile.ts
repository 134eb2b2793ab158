/** The steps of a Dockerfile, as far as ours uses them; anything else is refused, so that no step is skipped. */

type Step =
  | {
      readonly kind: 'copy';
      readonly from: string | undefined;
      readonly sources: readonly string[];
      readonly target: string;
    }
  | { readonly kind: 'run'; readonly command: string };

export interface Stage {
  readonly name: string | undefined;
  readonly base: string;
  readonly steps: readonly (Step & { readonly folder: string })[];
  readonly env: Readonly<Record<string, string>>;
  readonly user: string | undefined;
  readonly folder: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

type Growing = { -readonly [Key in keyof Stage]: Stage[Key] } & { steps: (Step & { folder: string })[] };

export function parseDockerfile(text: string): Stage[] {
  const stages: Growing[] = [];
  const lines = text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() && !line.startsWith('#'));
  for (const line of lines) {
    const [, word = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    // An argument is a variable of the steps: whoever runs them gives its value.
    if (word === 'ARG') continue;
    if (word === 'FROM') {
      const [, base = '', name] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
      stages.push(begin(base, name));
    } else apply(stages.at(-1), word, rest, line);
  }
  return stages;
}

const begin = (base: string, name: string | undefined): Growing => ({
  name,
  base,
  steps: [],
  env: {},
  user: undefined,
  folder: '/',
  entrypoint: [],
  command: [],
  healthcheck: [],
});

function apply(stage: Growing | undefined, word: string, rest: string, line: string): void {
  if (!stage) throw new Error(`before the first FROM: ${line}`);
  const { folder } = stage;
  if (word === 'WORKDIR') stage.folder = rest;
  else if (word === 'RUN') stage.steps.push({ kind: 'run', command: rest, folder });
  else if (word === 'COPY') {
    const words = rest.split(/\s+/);
    const flags = words.filter((one) => one.startsWith('--'));
    const places = words.filter((one) => !one.startsWith('--'));
    const from = flags.find((flag) => flag.startsWith('--from='))?.slice('--from='.length);
    stage.steps.push({ kind: 'copy', from, sources: places.slice(0, -1), target: places.at(-1)!, folder });
  } else if (word === 'USER') stage.user = rest;
  else if (word === 'ENV') {
    const pairs = [...rest.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]);
    stage.env = { ...stage.env, ...Object.fromEntries(pairs) };
  } else if (word === 'ENTRYPOINT') stage.entrypoint = JSON.parse(rest);
  else if (word === 'CMD') stage.command = JSON.parse(rest);
  else if (word === 'HEALTHCHECK') stage.healthcheck = JSON.parse(/ CMD (\[.*\])$/.exec(rest)![1]!);
  else if (word !== 'EXPOSE') throw new Error(`unknown step: ${line}`);
}

const WILD: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '*': '[^/]*' };

/** Whether a path of the repository is left out by the lines of a `.dockerignore`: the last matching line decides. */
export function createIgnore(text: string): (path: string) => boolean {
  const rules = text
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => {
      const pattern = line.replace(/^!/, '').replace(/\*\*\/|\*|[.+^${}()|[\]\\]/g, (one) => WILD[one] ?? `\\${one}`);
      return { isIn: line.startsWith('!'), fits: new RegExp(`^${pattern}(?:/|$)`) };
    });
  return (path) => rules.findLast(({ fits }) => fits.test(path))?.isIn === false;
}
