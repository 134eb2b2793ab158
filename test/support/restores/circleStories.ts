/**
 * Stories about transfers that Circle remembers and a restored database does not. They run wherever wallets are at
 * Circle.
 */
import { checkPaidOnce, checkUnpaid, compare } from './checks.ts';
import type { Story } from './runStory.ts';
import { AT_CIRCLE, CIRCLE_SENDS, type Stage } from './stage.ts';

/** The client repeats its key after the operator has imported what the chain shows, and before. */
const repeated: Story<Stage> = {
  name: 'the client repeats its key after an import',
  places: AT_CIRCLE,
  async begin(stage) {
    const { alice } = await stage.people({ alice: '100' });
    const destination = stage.newAddress();
    let id = '';
    const send = async () => {
      id = await stage.send({ walletId: alice.walletId, destination, amount: '40' }, 'send');
    };
    return {
      steps: [
        ['accepted', send],
        ['handed over', () => stage.work()],
        ['on its way', () => stage.step()],
        ['final', () => stage.settleDown()],
      ],
      repeat: send,
      check: () => checkPaidOnce(stage, { from: alice, had: 100n, destination, amount: 40n, paymentId: id }),
    };
  },
};

/** After a restore the payment is cancelled, hours later. Whatever Circle has of it must not be paid. */
const cancelled = (name: string, isHandedOver: boolean): Story<Stage> => ({
  name,
  places: isHandedOver ? CIRCLE_SENDS : AT_CIRCLE,
  async begin(stage) {
    const { alice } = await stage.people({ alice: '100' });
    const destination = stage.newAddress();
    let id = '';
    const send = async () => {
      id = await stage.send({ walletId: alice.walletId, destination, amount: '40' }, 'send');
    };
    const cancel = () => stage.cancel(id);
    return {
      steps: [
        ['accepted', send],
        ...(isHandedOver
          ? [
              [
                'in the queue of the provider',
                async () => {
                  stage.double?.control.turn({ hold: 'QUEUED' });
                  await stage.work();
                  await stage.step();
                },
              ] as const,
            ]
          : []),
      ],
      async repeat() {
        await send();
        await stage.age(3);
        await cancel();
        await stage.work();
        await stage.work();
        stage.double?.control.reset();
      },
      check: () => checkUnpaid(stage, { from: alice, had: 100n, destination, paymentId: id }),
    };
  },
});

/**
 * Circle has made the transfer, the key is old, and an import consumed the chain's log before the client comes back.
 */
const consumed: Story<Stage> = {
  name: 'a hash that is known but consumed',
  places: AT_CIRCLE,
  async begin(stage) {
    const { alice, bob } = await stage.people({ alice: '100', bob: '10' });
    const [outside, ours] = [stage.newAddress(), bob.address];
    const ids: string[] = [];
    const send = async () => {
      ids[0] = await stage.send({ walletId: alice.walletId, destination: outside, amount: '30' }, 'outside');
      ids[1] = await stage.send({ walletId: alice.walletId, destination: ours, amount: '10' }, 'ours');
    };
    return {
      steps: [
        ['accepted', send],
        ['final', () => stage.settleDown()],
      ],
      async repeat() {
        await stage.importMoves();
        // Circle does not remember keys forever, and lists its transfers.
        stage.double?.control.turn({ keys_live_ms: 0 });
        await stage.age(3);
        await send();
      },
      async check() {
        const states = await Promise.all(ids.map((id) => stage.stateOf(id)));
        return [
          ...compare('states', states, ['COMPLETE', 'COMPLETE']),
          ...compare('available', await stage.available(alice, bob), [60_000_000n, 20_000_000n]),
          ...compare('transfers', await stage.paidTo(outside), [30_000_000n]),
        ];
      },
    };
  },
};

export const circleStories: readonly Story<Stage>[] = [
  repeated,
  cancelled('cancelled hours after a restore', false),
  cancelled('the queue of the provider still holds the transfer', true),
  consumed,
];
