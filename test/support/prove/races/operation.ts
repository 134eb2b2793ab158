import type { Answer, Call } from '../model/calls.ts';
import type { Need, Scene } from './buildScene.ts';
import type { Side } from './openSide.ts';

export interface Operation {
  readonly needs?: readonly Need[];
  /** The things that it reads or changes. Two operations race when they share one of these. */
  readonly touches: readonly string[];
  readonly call: (scene: Scene) => Call;
  /** Names ids that the operation will use. Called before the race, once. */
  readonly prepare?: (scene: Scene) => void;
  readonly run: (side: Side, scene: Scene) => Promise<Answer>;
}
