/** Faults that can be switched on. */
export interface Switches {
  slow: boolean;
  down: boolean;
  twice: boolean;
  mute: boolean;
}
