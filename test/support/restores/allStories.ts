import { circleStories } from './circleStories.ts';
import { moneyStories } from './moneyStories.ts';
import { peopleStories } from './peopleStories.ts';
import { providerStories } from './providerStories.ts';
import type { Story } from './runStory.ts';
import { PLACES, type Place } from './stage.ts';

/** Of `npm run restores`. */
export const allStories: readonly Story[] = [...moneyStories, ...peopleStories, ...circleStories, ...providerStories];

/** Of `npm run rails`: stories about money, with whoever holds the keys. */
export const railStories: readonly Story[] = [...moneyStories, ...circleStories, ...providerStories];

/** A story that names no places needs a chain that we read. */
export const runsIn = ({ places }: Story, place: Place): boolean =>
  places?.includes(place) ?? (place !== 'Solana' && place !== 'Aptos');

/** Where `npm run restores` runs it: with own keys, or in every place that it names. */
export const placesOf = (story: Story): readonly Place[] =>
  story.places ? PLACES.filter((place) => runsIn(story, place)) : ['own keys'];
