/** A fault of one node, judged by the answers of the other nodes. */
export interface NodeFault {
  /**
   * `silent`: the node does not answer. `behind`: it lacks something that the others have. `no state`: it no longer has
   * the state of the final block. `contradicts`: its answer differs from the majority's.
   */
  readonly kind: 'silent' | 'behind' | 'no state' | 'contradicts';
  /** The request that first showed the fault. */
  readonly about: string;
  readonly since: Date;
  readonly times: number;
}

export interface NodeStanding {
  /** Host and port. Never the whole URL, which may contain an API key. */
  readonly host: string;
  readonly fault?: NodeFault;
}
