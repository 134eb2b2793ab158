/**
 * Stories about money: whenever the backup was taken, in the end everyone has what they would have had without a
 * restore.
 */
import type { Hex } from '../../../server/src/core/ports.ts';
import { settleWallets } from '../../../server/src/custody/coins/settleWallets.ts';
import { cancelPayment } from '../../../server/src/payments/sends/cancelPayment.ts';
import { type Holder, randomAddress } from '../chain/custody.ts';
import { compare } from './checks.ts';
import type { Story } from './runStory.ts';
import type { Scene } from './scene.ts';

const USDC = 1_000_000n;

async function checkOwed(scene: Scene, expected: readonly (readonly [Holder, bigint])[]): Promise<string[]> {
  const owed = await scene.available(...expected.map(([holder]) => holder));
  return compare(
    'owed',
    owed,
    expected.map(([, amount]) => amount * USDC),
  );
}

async function checkPaid({ world }: Scene, destination: Hex, amount: bigint): Promise<string[]> {
  return [
    ...compare('paid to the address', [await world.balance(destination)], [amount * USDC]),
    ...compare('transfers', [(await world.listTransfers(destination)).length], [amount > 0n ? 1 : 0]),
  ];
}

/** Everything that a worker does, but nothing that it broadcasts arrives. */
const workUnheard = ({ world }: Scene) =>
  world.work({ chain: { ...world.chain, broadcast: async () => ({ outcome: 'unknown', message: 'not yet' }) } });

const payment: Story = {
  name: 'payment between people',
  async begin(scene) {
    const { alice, bob, carol } = await scene.world.fund({ alice: '100', bob: '0', carol: '0' });
    const first = () => scene.pay(alice, 'bob', '40', 'first');
    const second = () => scene.pay(bob, 'carol', '15', 'second');
    return {
      steps: [
        ['first payment', first],
        ['second payment', second],
      ],
      async repeat() {
        await first();
        await second();
      },
      check: () =>
        checkOwed(scene, [
          [alice, 60n],
          [bob, 25n],
          [carol, 15n],
        ]),
    };
  },
};

const sending = (name: string, to: 'outside' | 'ours'): Story => ({
  name,
  async begin(scene) {
    const { world } = scene;
    const { alice, bob } = await world.fund({ alice: '100', bob: '10' });
    const destination = to === 'ours' ? bob.address : randomAddress();
    const send = () => scene.send({ amount: '40', destination, walletUsername: 'alice' }, 'send');
    return {
      steps: [
        ['accepted', send],
        ['signed', () => workUnheard(scene)],
        ['broadcast', () => world.work()],
        ['mined', () => world.mine()],
        ['final', () => world.settleDown()],
      ],
      repeat: send,
      async check() {
        const owed = await checkOwed(scene, [
          [alice, 60n],
          [bob, to === 'ours' ? 50n : 10n],
        ]);
        if (to === 'outside') return [...owed, ...(await checkPaid(scene, destination, 40n))];
        return [...owed, ...compare('coins', [await world.balance(bob.address)], [50n * USDC])];
      },
    };
  },
});

const settlement: Story = {
  name: 'settlement',
  async begin(scene) {
    const { world } = scene;
    const { alice, bob } = await world.fund({ alice: '100', bob: '0', treasury: '10' });
    const pay = () => scene.pay(alice, 'bob', '40', 'pay');
    return {
      steps: [
        ['paid', pay],
        ['planned', () => settleWallets(world, world.network, world.usdc)],
        ['signed', () => workUnheard(scene)],
        ['broadcast', () => world.work()],
        ['mined', () => world.mine()],
        ['final', () => world.settleDown()],
      ],
      movesAre: 'settlements',
      repeat: pay,
      async check() {
        const owed = await checkOwed(scene, [
          [alice, 60n],
          [bob, 40n],
        ]);
        // Coins follow the ledger, also when they had been settled before the payment was repeated.
        await settleWallets(world, world.network, world.usdc);
        await world.settleDown();
        const coins = [await world.balance(alice.address), await world.balance(bob.address)];
        return [...owed, ...compare('coins', coins, [60n * USDC, 40n * USDC]), ...(await world.faults())];
      },
    };
  },
};

const deposit: Story = {
  name: 'deposit',
  async begin(scene) {
    const { world } = scene;
    const { alice } = await world.fund({ alice: '100' });
    return {
      steps: [
        [
          'mined',
          async () => {
            await world.turn('/faucet', { address: alice.address, usdc: '25' });
            await world.mine();
            await world.work();
          },
        ],
        ['credited', () => world.credit()],
      ],
      repeat: async () => {},
      check: () => checkOwed(scene, [[alice, 125n]]),
    };
  },
};

const cancellation = (name: string, isSigned: boolean): Story => ({
  name,
  async begin(scene) {
    const { world } = scene;
    const { alice } = await world.fund({ alice: '100' });
    const destination = randomAddress();
    let id = '';
    const send = async () => {
      id = await scene.send({ amount: '40', destination, walletUsername: 'alice' }, 'send');
    };
    const cancel = () =>
      world.db.tx((tx) => cancelPayment(tx, { paymentId: id })).catch((error: { code?: string }) => error.code);
    return {
      steps: [
        ['accepted', send],
        ...(isSigned ? [['signed', () => workUnheard(scene)] as const] : []),
        ['cancellation asked for', cancel],
        ['final', () => world.settleDown()],
      ],
      async repeat() {
        await send();
        await cancel();
      },
      async check() {
        const state = (await world.get(id)).state;
        return [
          ...compare('state', [state], ['CANCELLED']),
          ...(await checkOwed(scene, [[alice, 100n]])),
          ...(await checkPaid(scene, destination, 0n)),
        ];
      },
    };
  },
});

export const moneyStories: readonly Story[] = [
  payment,
  sending('send', 'outside'),
  sending('send to a wallet of ours', 'ours'),
  settlement,
  deposit,
  cancellation('cancellation of what was signed', true),
  cancellation('cancellation before anything was signed', false),
];
