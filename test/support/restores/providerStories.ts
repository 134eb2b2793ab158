/**
 * Stories about transfers that Circle refuses, forgets or has too many of (M34, M35). In the end every payment has
 * ended.
 */
import { stamp } from '../../../sandbox/src/circle/records.ts';
import { plantPast } from '../circle/plantPast.ts';
import { checkPaidOnce, compare } from './checks.ts';
import type { Story } from './runStory.ts';
import { AT_CIRCLE, CIRCLE_SENDS, type Stage } from './stage.ts';

const TRANSFER = 'POST /v1/w3s/developer/transactions/transfer';
const DAYS_AGO_MS = 3 * 86_400_000;

/** Circle has frozen the payer's wallet: the payment fails, the payer keeps the money, and others are paid. */
const frozen: Story<Stage> = {
  name: 'a frozen wallet',
  places: AT_CIRCLE,
  async begin(stage) {
    const { alice, bob } = await stage.people({ alice: '100', bob: '50' });
    const [never, paid] = [stage.newAddress(), stage.newAddress()];
    const ids: string[] = [];
    const send = async () => {
      ids[0] = await stage.send({ walletId: alice.walletId, destination: never, amount: '40' }, 'never');
      ids[1] = await stage.send({ walletId: bob.walletId, destination: paid, amount: '20' }, 'paid');
    };
    stage.double!.control.turn({ freeze: [alice.address, alice.address.toLowerCase()] });
    return {
      steps: [
        ['accepted', send],
        ['refused', () => stage.work()],
        ['final', () => stage.settleDown()],
      ],
      repeat: send,
      hoursToEnd: 3,
      async check() {
        return [
          ...compare('states', await Promise.all(ids.map((id) => stage.stateOf(id))), ['FAILED', 'COMPLETE']),
          ...compare('available', await stage.available(alice, bob), [100_000_000n, 30_000_000n]),
          ...compare('transfers', [...(await stage.paidTo(never)), ...(await stage.paidTo(paid))], [20_000_000n]),
        ];
      },
    };
  },
};

/** The payer has paid the same address for years. */
const longPast: Story<Stage> = {
  name: '5,000 old transfers to one address',
  places: CIRCLE_SENDS,
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
        [
          'its past is long',
          async () => {
            const like = stage.double!.control.transactions().find(({ refId }) => refId === id);
            const past = { state: 'FAILED', work: null, createDate: stamp() } as const;
            if (like) plantPast(stage.double!, { ...like, ...past }, 5_000, { agoMs: DAYS_AGO_MS });
          },
        ],
        ['final', () => stage.settleDown()],
      ],
      repeat: send,
      check: () => checkPaidOnce(stage, { from: alice, had: 100n, destination, amount: 40n, paymentId: id }),
    };
  },
};

/** Circle never answered, and the key is too old to ask again. It lists the transfer in the end. */
const held: Story<Stage> = {
  name: 'held transfers',
  places: CIRCLE_SENDS,
  async begin(stage) {
    const { alice } = await stage.people({ alice: '100' });
    const destination = stage.newAddress();
    let id = '';
    const send = async () => {
      id = await stage.send({ walletId: alice.walletId, destination, amount: '40' }, 'send');
    };
    const heal = () => {
      stage.double!.control.reset();
      stage.life.keyMs = 3_600_000;
    };
    return {
      steps: [
        ['accepted', send],
        [
          'unanswered',
          async () => {
            const answers = { kind: 'cut_after', only: TRANSFER, count: 1 } as const;
            stage.double!.control.turn({ answers, list_lag_ms: 3_000_000, hold: 'INITIATED' });
            await stage.work();
          },
        ],
        [
          'held',
          async () => {
            stage.life.keyMs = 0;
            await stage.work();
          },
        ],
        [
          'listed',
          async () => {
            heal();
            await stage.settleDown();
          },
        ],
      ],
      async repeat() {
        heal();
        await send();
      },
      check: () => checkPaidOnce(stage, { from: alice, had: 100n, destination, amount: 40n, paymentId: id }),
    };
  },
};

/** Circle refuses to stop a queued transfer, and then sends it. */
const refusedCancellation: Story<Stage> = {
  name: 'refused cancellations',
  places: CIRCLE_SENDS,
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
        [
          'queued',
          async () => {
            stage.double!.control.turn({ hold: 'QUEUED', refuse_cancel: true });
            await stage.work();
            await stage.step();
          },
        ],
        ['asked to stop', () => stage.cancel(id)],
        ['refused', () => stage.work()],
        [
          'final',
          async () => {
            stage.double!.control.turn({ hold: null });
            await stage.settleDown();
          },
        ],
      ],
      async repeat() {
        stage.double!.control.reset();
        await send();
      },
      check: () => checkPaidOnce(stage, { from: alice, had: 100n, destination, amount: 40n, paymentId: id }),
    };
  },
};

export const providerStories: readonly Story<Stage>[] = [frozen, longPast, held, refusedCancellation];
