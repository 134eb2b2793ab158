import { NOUNS } from '../../../server/src/bin/cli/nouns.ts';
import { hasVerbs } from '../../../server/src/bin/program/command.ts';

/** A shell function: a person answers the questions of `florin` with yes, and the drill has no terminal. */
export async function answerYes(): Promise<string> {
  const asking: string[] = [];
  for (const [noun, entry] of Object.values(NOUNS).flatMap((group) => Object.entries(group))) {
    const { default: found } = await entry.load();
    const verbs = hasVerbs(found) ? Object.entries(found.verbs) : [];
    asking.push(...verbs.filter(([, verb]) => verb.plan).map(([name]) => `"${noun} ${name}"`));
  }
  return `florin() {
  case "\${1:-} \${2:-}" in
    ${asking.join('|')}) command florin "$@" --yes ;;
    *) command florin "$@" ;;
  esac
}
`;
}
