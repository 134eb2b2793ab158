import type { Answer } from './calls.ts';
import type { State } from './state.ts';

/** An atomic step. Its answer ends the call. */
export type Step = (state: State) => Answer | undefined;
