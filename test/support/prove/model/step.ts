import type { Answer } from './calls.ts';
import type { State } from './state.ts';

/** Something that happens at once. What it answers ends the call. */
export type Step = (state: State) => Answer | undefined;
