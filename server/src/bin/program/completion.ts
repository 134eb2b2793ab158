import { hasVerbs, type Nouns, optionsOf, type Verb, verb } from './command.ts';
import { misused } from './faults.ts';
import { namesOf } from './parseCommandLine.ts';

const SHELLS = ['bash', 'zsh'] as const;
type Shell = (typeof SHELLS)[number];

/** The possible words at a position: after `florin`, after a noun, or among the options of a verb. */
interface WordPosition {
  /** Number of the word, and the words before it, as a pattern of `case` in a shell. */
  readonly pattern: string;
  readonly choices: readonly string[];
}

/** `florin completion` for these nouns. */
export const completionOf = (nouns: () => Nouns): Verb =>
  verb({
    summary: 'Prints a script that completes commands in your shell',
    about: `Put this into ~/.bashrc:  eval "$(florin completion bash)"

or into ~/.zshrc, after compinit:  eval "$(florin completion zsh)"`,
    words: ['SHELL'],
    ignoresSandbox: true,
    async run(_, { words: [word] }) {
      const shell = SHELLS.find((one) => one === word);
      if (!shell) throw misused(`there is no completion for ${word}, only for ${SHELLS.join(' and ')}`);
      return describeCompletion(nouns(), shell);
    },
  });

async function describeCompletion(nouns: Nouns, shell: Shell): Promise<string> {
  const positions: WordPosition[] = [{ pattern: '"1 "*', choices: [...namesOf(nouns), 'help'] }];
  for (const [name, entry] of Object.values(nouns).flatMap((group) => Object.entries(group))) {
    const { default: found } = await entry.load();
    if (!hasVerbs(found)) {
      positions.push({ pattern: `*" ${name} "*`, choices: flagsOf(found) });
      continue;
    }
    const verbs = Object.entries(found.verbs);
    positions.push({ pattern: `"2 ${name} "*`, choices: verbs.map(([action]) => action) });
    if (found.otherwise) positions.push({ pattern: `[3-9]*" ${name} "*`, choices: flagsOf(found.otherwise) });
    for (const [action, one] of verbs) positions.push({ pattern: `*" ${name} ${action}"`, choices: flagsOf(one) });
  }
  return shell === 'bash' ? renderBash(positions) : renderZsh(positions);
}

const flagsOf = (one: Verb): string[] => Object.keys(optionsOf(one)).map((name) => `--${name}`);

const renderCases = (positions: readonly WordPosition[], assign: (choices: string) => string): string =>
  positions.map(({ pattern, choices }) => `    ${pattern}) ${assign(choices.join(' '))} ;;`).join('\n');

const renderBash = (positions: readonly WordPosition[]): string => `_florin() {
  local choices=""
  case "$COMP_CWORD \${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${renderCases(positions, (choices) => `choices="${choices}"`)}
  esac
  COMPREPLY=($(compgen -W "$choices" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _florin florin
`;

const renderZsh = (positions: readonly WordPosition[]): string => `_florin() {
  local -a choices
  case "$((CURRENT - 1)) \${words[2]} \${words[3]}" in
${renderCases(positions, (choices) => `choices=(${choices})`)}
  esac
  compadd -- $choices || _files
}
compdef _florin florin
`;
