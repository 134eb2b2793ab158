/** What can be made to go wrong. */
export interface Switches {
  slow: boolean;
  down: boolean;
  twice: boolean;
  mute: boolean;
}
