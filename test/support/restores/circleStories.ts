/** Stories about transfers that Circle remembers and a restored database does not. They run wherever wallets are Circle's. */
import { checkPaidOnce } from './checks.ts';
import type { Story } from './runStory.ts';
import { AT_CIRCLE, type Stage } from './stage.ts';

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

export const circleStories: readonly Story<Stage>[] = [repeated];
