/** Reads docs/operating/exits.md: every state, its transitions, and the alerts and commands that it names. */
import { readFileSync } from 'node:fs';

interface Exit {
  readonly thing: string;
  readonly state: string;
  readonly movesOn: string;
  readonly alert: string;
  readonly commands: readonly string[];
}

export const readExits = (): Exit[] =>
  readFileSync(new URL('../../../docs/operating/exits.md', import.meta.url), 'utf8')
    .split(/^## /m)
    .slice(1)
    .flatMap((section) =>
      [...section.matchAll(/^\| `(\w+)` \|(.*)\|(.*)\|(.*)\|$/gm)].map(([, state, ...cells]) => {
        const [movesOn, alert, command] = cells.map((cell) => cell!.trim());
        const commands = [...command!.matchAll(/`([^`]+)`/g)].map(([, text]) => text!);
        return { thing: section.split('\n')[0]!, state: state!, movesOn: movesOn!, alert: alert!, commands };
      }),
    );
