import type { CustodyWorld } from '../chain/custody.ts';

/** Sends 40 USDC of this person. A second call repeats the key of the first. */
export const sendForty = (world: CustodyWorld, walletUsername: string, destination: string): Promise<string> =>
  world.send({
    walletUsername,
    destination,
    amount: '40',
    key: { caller: 'robot', route: '/wallet/send-usdc', text: walletUsername },
  });
