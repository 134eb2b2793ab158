/** What is wrong with a node, as far as the other nodes tell. */
export interface NodeFault {
  /**
   * `silent`: it does not answer. `behind`: it does not have what the others have. `no state`: it no longer has the state
   * of the final block. `contradicts`: it says something else than the majority.
   */
  readonly kind: 'silent' | 'behind' | 'no state' | 'contradicts';
  /** What it was asked about when this was first seen. */
  readonly about: string;
  readonly since: Date;
  readonly times: number;
}

export interface NodeStanding {
  /** Host and port; never the whole URL, which may hold a key. */
  readonly host: string;
  readonly fault?: NodeFault;
}
