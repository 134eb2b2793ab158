/** What operators do, each under their own login, and services with payouts. */
import { idFromKey } from '../../../../../server/src/core/ids.ts';
import type { Usdc } from '../../../../../server/src/core/money.ts';
import { revokeServiceKey } from '../../../../../server/src/customers/keys/serviceKeys.ts';
import { type Question, storeFinding } from '../../../../../server/src/customers/kyc/kycChecks.ts';
import { endSessions } from '../../../../../server/src/customers/sessions/sessions.ts';
import { approveCorrection } from '../../../../../server/src/ledger/corrections.ts';
import { pausePayments } from '../../../../../server/src/operators/pauses.ts';
import { approvePayout, denyPayout } from '../../../../../server/src/payments/payouts/approvePayout.ts';
import { cancelPayout, confirmPayout } from '../../../../../server/src/payments/payouts/confirmPayout.ts';
import { approveRefund, denyRefund, refundPayment } from '../../../../../server/src/payments/refunds/refundPayment.ts';
import { approvePayment } from '../../../../../server/src/payments/sends/approvePayment.ts';
import { denyPayment } from '../../../../../server/src/payments/sends/denyPayment.ts';
import { loginOf } from '../../../operators.ts';
import type { Scene } from '../buildScene.ts';
import type { RaceOperator } from '../openSide.ts';
import type { Operation } from '../operation.ts';
import { usdc } from '../usdc.ts';

/** From the one who got it: bob's first payment to alice, in two parts that do not fit. */
const refund = (name: string, amount: bigint): Operation => ({
  needs: ['first'],
  touches: ['alice', 'bob', 'first'],
  prepare: (scene) =>
    scene.know(name, idFromKey('operator', `refund ${scene.id('first')} by receiver`, `${amount} ${name}`)),
  call: () => ({ do: 'refund', id: name, payment: 'first', amount }),
  run: async ({ operators }, scene) =>
    (await refundPayment(operators.rita, { paymentId: scene.id('first'), amount: amount as Usdc, reason: name }))
      .outcome,
});

const approve = (by: RaceOperator): Operation => ({
  needs: ['waiting'],
  touches: ['waiting'],
  call: () => ({ do: 'approve', payment: 'waiting', by }),
  run: async ({ operators }, scene) => (await approvePayment({ db: operators[by] }, scene.id('waiting'))).outcome,
});

const approveAll = (by: RaceOperator): Operation => ({
  needs: ['approving'],
  touches: ['approving'],
  call: () => ({ do: 'approvePayout', payout: 'approving', by }),
  run: async ({ operators }, scene) => (await approvePayout(operators[by], scene.id('approving'))).outcome,
});

const stopPayout = (payout: 'checked' | 'approving' | 'running', how: 'deny' | 'cancel'): Operation => ({
  needs: [payout],
  touches: [payout],
  call: () => ({ do: how === 'deny' ? 'denyPayout' : 'cancelPayout', payout }),
  run: ({ db, operators }, scene) =>
    how === 'deny'
      ? denyPayout(operators.rolf, scene.id(payout), 'not today')
      : cancelPayout(db, scene.id(payout), scene.id('payoutKey')).then(({ state }) => state),
});

const question = (scene: Scene): Question => ({
  userId: scene.id('alice'),
  applicantId: scene.id('alice'),
  level: 'basic',
  number: 1n,
});

export const operatorsDo: Readonly<Record<string, Operation>> = {
  key_is_revoked: {
    touches: ['key'],
    call: () => ({ do: 'revokeKey', key: 'key' }),
    run: async ({ operators }, scene) =>
      (await operators.ada.tx((tx) => revokeServiceKey(tx, scene.id('key')))) ? 'revoked' : 'unknown',
  },
  payout_key_is_revoked: {
    touches: ['payoutKey', 'checked', 'running'],
    call: () => ({ do: 'revokeKey', key: 'payoutKey' }),
    run: async ({ operators }, scene) =>
      (await operators.ada.tx((tx) => revokeServiceKey(tx, scene.id('payoutKey')))) ? 'revoked' : 'unknown',
  },
  sessions_are_ended: {
    touches: ['session alice'],
    call: () => ({ do: 'endSessions', who: 'alice' }),
    run: async ({ operators }, scene) => `ended ${await endSessions(operators.ada, scene.id('alice'), 'stolen')}`,
  },
  alice_is_paused: {
    touches: ['alice'],
    call: () => ({ do: 'pause', who: 'alice' }),
    async run({ operators }, scene) {
      const scope = `user:${scene.id('alice')}` as const;
      await pausePayments(operators.ada, { scope, reason: 'looks odd', stops: 'accepting' });
      return 'paused';
    },
  },
  alice_is_rejected: {
    touches: ['alice'],
    call: () => ({ do: 'judge', who: 'alice', status: 'rejected' }),
    async run({ db }, scene) {
      const finding = { status: 'rejected', canRetry: false, reasons: [] } as const;
      await db.tx((tx) => storeFinding(tx, question(scene), finding));
      return 'judged';
    },
  },
  rita_approves: approve('rita'),
  rolf_approves: approve('rolf'),
  anna_approves_twice: approve('anna'),
  rolf_denies: {
    needs: ['waiting'],
    touches: ['waiting'],
    call: () => ({ do: 'deny', payment: 'waiting' }),
    run: ({ operators }, scene) =>
      operators.rolf.tx((tx) => denyPayment(tx, scene.id('waiting'), 'not today', `operator:${loginOf('rolf')}`)),
  },
  refund_of_three: refund('refund_of_three', usdc(3)),
  refund_of_two: refund('refund_of_two', usdc(2)),
  treasury_refund_is_approved: {
    needs: ['first', 'proposal'],
    touches: ['bob', 'first', 'proposal'],
    call: () => ({ do: 'approveRefund', id: 'proposal' }),
    run: async ({ operators }, scene) => (await approveRefund(operators.rita, scene.id('proposal'))).outcome,
  },
  treasury_refund_is_denied: {
    needs: ['first', 'proposal'],
    touches: ['first', 'proposal'],
    call: () => ({ do: 'denyRefund', id: 'proposal' }),
    run: async ({ operators }, scene) => (await denyRefund(operators.rolf, scene.id('proposal'), 'no')).outcome,
  },
  books_are_corrected: {
    needs: ['correction'],
    touches: ['alice'],
    call: () => ({ do: 'correct', id: 'correction' }),
    run: ({ operators }, scene) => approveCorrection(operators.rita, scene.id('correction')),
  },
  payout_is_confirmed: {
    needs: ['checked'],
    touches: ['checked', 'payoutKey'],
    call: () => ({ do: 'confirmPayout', payout: 'checked' }),
    run: async ({ db }, scene) =>
      (
        await confirmPayout(db, {
          payoutId: scene.id('checked'),
          keyId: scene.id('payoutKey'),
          certificate: undefined,
          client: '',
          count: 1,
          total: scene.amount('checked') as Usdc,
          approvalThreshold: undefined,
        })
      ).state,
  },
  rita_approves_payout: approveAll('rita'),
  rolf_approves_payout: approveAll('rolf'),
  checked_payout_is_cancelled: stopPayout('checked', 'cancel'),
  approving_payout_is_denied: stopPayout('approving', 'deny'),
  running_payout_is_denied: stopPayout('running', 'deny'),
  running_payout_is_cancelled: stopPayout('running', 'cancel'),
};
