/** A slice of `npm run restores`: backups in the middle of a story, brought back under servers that run and that do not. */
import { expect, it } from 'vitest';
import { moneyStories } from '../support/restores/moneyStories.ts';
import { peopleStories } from '../support/restores/peopleStories.ts';
import { runStory } from '../support/restores/runStory.ts';
import type { ServersWere } from '../support/restores/scene.ts';
import { copied, inPlace, type Way } from '../support/restores/ways.ts';

const stories = [...moneyStories, ...peopleStories];

it.each([
  ['payment between people', 1, inPlace, 'left running'],
  ['settlement', 2, inPlace, 'left running'],
  ['send to a wallet of ours', 1, copied, 'stopped'],
  ['registration', 0, copied, 'stopped'],
  ['session or key revoked', 1, inPlace, 'left running'],
  ['rename', 1, inPlace, 'left running'],
] as const)(
  '%s, with a backup after step %i, restored %o, servers %s',
  async (name, backUpAfter, way: Way, servers: ServersWere) => {
    const story = stories.find((one) => one.name === name)!;
    expect(await runStory({ story, backUpAfter, way, servers })).toEqual([]);
  },
);
