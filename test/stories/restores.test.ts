/** A slice of `npm run restores`: backups in the middle of a story, restored under running and stopped servers. */
import { expect, it } from 'vitest';
import { moneyStories } from '../support/restores/moneyStories.ts';
import { peopleStories } from '../support/restores/peopleStories.ts';
import { runStory } from '../support/restores/runStory.ts';
import type { ServersWere } from '../support/restores/stage.ts';
import { copied, inPlace, type Way } from '../support/restores/ways.ts';

const stories = [...moneyStories, ...peopleStories];

const slice: readonly (readonly [name: string, backUpAfter: number, way: Way, servers: ServersWere])[] = [
  ['payment between people', 1, inPlace, 'left running'],
  ['settlement', 2, inPlace, 'left running'],
  ['send to a wallet of ours', 1, copied, 'stopped'],
  ['cancellation before anything was signed', 1, copied, 'stopped'],
  ['session or key revoked', 1, inPlace, 'left running'],
];

it.each(slice.map(([name, backUpAfter, way, servers]) => ({ name, backUpAfter, way: way.name, servers, run: way })))(
  '$name: backup after step $backUpAfter, restored ($way), servers $servers',
  async ({ name, backUpAfter, run, servers }) => {
    const story = stories.find((one) => one.name === name)!;
    expect(await runStory({ story, backUpAfter, way: run, servers })).toEqual([]);
  },
);
