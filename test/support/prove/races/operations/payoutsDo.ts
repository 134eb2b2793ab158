/** Operations on payouts, by operators and services. */
import type { Usdc } from '../../../../../server/src/core/money.ts';
import { approvePayout, denyPayout } from '../../../../../server/src/payments/payouts/approvePayout.ts';
import { cancelPayout, confirmPayout } from '../../../../../server/src/payments/payouts/decidePayout.ts';
import type { Scene } from '../buildScene.ts';
import type { RaceOperator } from '../openSide.ts';
import type { Operation } from '../operation.ts';

const approveAll = (by: RaceOperator): Operation => ({
  needs: ['approving'],
  touches: ['approving'],
  call: () => ({ do: 'approvePayout', payout: 'approving', by }),
  run: async ({ operators }, scene) => (await approvePayout(operators[by], scene.id('approving'))).outcome,
});

const wantedBy = (scene: Scene, payout: string) => ({
  payoutId: scene.id(payout),
  keyId: scene.id('payoutKey'),
  certificate: undefined,
  client: '',
});

const stopPayout = (payout: 'checked' | 'approving' | 'running', how: 'deny' | 'cancel'): Operation => ({
  needs: [payout],
  touches: [payout],
  call: () => ({ do: how === 'deny' ? 'denyPayout' : 'cancelPayout', payout }),
  run: ({ db, operators }, scene) =>
    how === 'deny'
      ? denyPayout(operators.rolf, scene.id(payout), 'not today')
      : cancelPayout(db, wantedBy(scene, payout)).then(({ state }) => state),
});

export const payoutsDo: Readonly<Record<string, Operation>> = {
  payout_is_confirmed: {
    needs: ['checked'],
    touches: ['checked', 'payoutKey'],
    call: () => ({ do: 'confirmPayout', payout: 'checked' }),
    // The answer reads the payout after the commit, so another call may have cancelled it by then.
    run: async ({ db }, scene) => {
      const { state } = await confirmPayout(db, {
        ...wantedBy(scene, 'checked'),
        count: 1,
        total: scene.amount('checked') as Usdc,
        approvalThreshold: undefined,
      });
      return state === 'cancelled' ? 'running' : state;
    },
  },
  rita_approves_payout: approveAll('rita'),
  rolf_approves_payout: approveAll('rolf'),
  checked_payout_is_cancelled: stopPayout('checked', 'cancel'),
  approving_payout_is_denied: stopPayout('approving', 'deny'),
  running_payout_is_denied: stopPayout('running', 'deny'),
  running_payout_is_cancelled: stopPayout('running', 'cancel'),
};
