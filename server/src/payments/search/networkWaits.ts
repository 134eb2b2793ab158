/** Why payments to addresses wait, besides their own approvals and delays. */
export type NetworkWait = 'pause' | 'node' | 'worker' | 'gas' | 'coins';

interface Words {
  /** For customers. */
  readonly note: string;
  /** For operators. */
  readonly detail: string;
  /** For operators: what ends the wait. */
  readonly ends: string;
}

export const NETWORK_WAITS: Readonly<Record<NetworkWait, (blockchain: string) => Words>> = {
  pause: (blockchain) => ({
    note: `waits until payments on ${blockchain} continue: they are paused`,
    detail: `waits until sends on ${blockchain} resume: florin pause list`,
    ends: 'An operator ends the pause, or its cause ends.',
  }),
  node: (blockchain) => ({
    note: `waits until ${blockchain} can be reached`,
    detail: `waits for ${blockchain}: the nodes through which we reach it do not answer`,
    ends: 'A node answers again, or another node is configured (FLORIN_CHAINS).',
  }),
  worker: (blockchain) => ({
    note: 'waits for its turn; it is delayed',
    detail: `waits for a worker: none has worked on ${blockchain} since`,
    ends: 'A worker runs again (florin worker).',
  }),
  gas: (blockchain) => ({
    note: `waits until the fees of ${blockchain} can be paid`,
    detail: 'waits until a relayer can pay for the gas: florin relayer fund-address',
    ends: 'A relayer gets coins for gas, or gas becomes cheaper.',
  }),
  coins: (blockchain) => ({
    note: `waits until its coins are available on ${blockchain}`,
    detail: 'waits until enough coins have arrived in our wallets',
    ends: 'Coins of other wallets arrive, or the treasury is funded.',
  }),
};
