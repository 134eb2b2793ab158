import { circleStories } from './circleStories.ts';
import { moneyStories } from './moneyStories.ts';
import { peopleStories } from './peopleStories.ts';
import { providerStories } from './providerStories.ts';
import type { Story } from './runStory.ts';
import { WALLET_SETUPS, type WalletSetup } from './stage.ts';

/** For `npm run restores`. */
export const allStories: readonly Story[] = [...moneyStories, ...peopleStories, ...circleStories, ...providerStories];

/** For `npm run rails`: stories about money, with any holder of the keys. */
export const railStories: readonly Story[] = [...moneyStories, ...circleStories, ...providerStories];

/** A story without `places` needs a watched chain. */
export const runsIn = ({ places }: Story, place: WalletSetup): boolean =>
  places?.includes(place) ?? (place !== 'Solana' && place !== 'Aptos');

/** The places in which `npm run restores` runs the story: local keys, or every place that it names. */
export const setupsOf = (story: Story): readonly WalletSetup[] =>
  story.places ? WALLET_SETUPS.filter((place) => runsIn(story, place)) : ['own keys'];
