/** A team that has its own keys, and can move its wallets to Circle, which then signs. */
import type { Keyring } from '../../../server/src/core/ports.ts';
import { makeWallet } from '../../../server/src/customers/wallets/makeWallet.ts';
import {
  chooseOwnKeys,
  prepareServiceWallets,
  type WalletChoice,
} from '../../../server/src/customers/wallets/serviceWallets.ts';
import { type CustodyWorld, type Holder, startCustody } from '../chain/custody.ts';
import { setUp } from './sendingWorld.ts';

const SET = '7f3d5a10-0000-4000-8000-000000000001';

interface MovingWorld {
  readonly world: CustodyWorld;
  toCircle(from: 'local' | undefined): WalletChoice;
  /** Moves the service's wallets and the wallets of these people. Settlement has not moved the coins yet. */
  moveToCircle(people: readonly Holder[]): Promise<void>;
}

/** The fresh service with its own keys. */
export async function startMovingWorld(): Promise<MovingWorld> {
  const { options } = setUp('Circle signs');
  let circle: Keyring;
  const openCircle: NonNullable<typeof options.openCircle> = async (chain) => {
    circle = await options.openCircle!(chain);
    return circle;
  };
  const world = await startCustody({}, { ...options, openCircle, walletProvider: 'local' });
  await prepareServiceWallets(world.db, world.wallets, chooseOwnKeys(world.wallets));
  const toCircle = (from: 'local' | undefined): WalletChoice => ({
    ...{ provider: 'circle', networks: {}, from, accounts: { circle: SET } },
    makers: [{ ...circle, provider: 'circle' }],
  });
  return {
    world,
    toCircle,
    async moveToCircle(people) {
      await prepareServiceWallets(world.db, world.wallets, toCircle('local'));
      for (const { userId } of people) await makeWallet(world.db, circle, userId!);
      await world.db.query(`DELETE FROM jobs WHERE kind = 'wallet'`);
    },
  };
}
