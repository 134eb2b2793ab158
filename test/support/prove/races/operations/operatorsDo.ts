/** Operations of operators, each under their own login. */
import { idFromKey } from '../../../../../server/src/core/ids.ts';
import type { Usdc } from '../../../../../server/src/core/money.ts';
import { toRules } from '../../../../../server/src/customers/keys/keyRules.ts';
import { changeServiceKey, revokeServiceKey } from '../../../../../server/src/customers/keys/serviceKeys.ts';
import { type Question, storeFinding } from '../../../../../server/src/customers/kyc/kycChecks.ts';
import { giveTier } from '../../../../../server/src/customers/kyc/kycTiers.ts';
import { changeTier } from '../../../../../server/src/customers/limits/tiers.ts';
import { endSessions } from '../../../../../server/src/customers/sessions/sessions.ts';
import type { Tx } from '../../../../../server/src/db/database.ts';
import { approveCorrection, collectDebt } from '../../../../../server/src/ledger/corrections.ts';
import { pausePayments, resumePayments } from '../../../../../server/src/operators/pauses.ts';
import {
  approveRefund,
  denyRefund,
  proposeRefund,
  refundPayment,
} from '../../../../../server/src/payments/refunds/refundPayment.ts';
import { approvePayment } from '../../../../../server/src/payments/sends/approvePayment.ts';
import { denyPayment } from '../../../../../server/src/payments/sends/denyPayment.ts';
import { loginOf } from '../../../operators.ts';
import { keyRules, type Scene } from '../buildScene.ts';
import type { RaceOperator } from '../openSide.ts';
import type { Operation } from '../operation.ts';
import { usdc } from '../usdc.ts';

/** Refunds bob's first payment to alice from alice's balance. The two refunds together exceed the payment. */
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

const question = (scene: Scene): Question => ({
  userId: scene.id('alice'),
  applicantId: scene.id('alice'),
  level: 'basic',
  number: 1n,
});

const ADA = `operator:${loginOf('ada')}` as const;

const resume = (who: 'alice' | 'zed'): Operation => ({
  needs: ['paused'],
  touches: [who],
  call: () => ({ do: 'resume', who }),
  run: async ({ operators }, scene) =>
    (await resumePayments(operators.ada, `user:${scene.id(who)}`, 'operator')) ? 'resumed' : 'not paused',
});

const lowerKey = (key: 'key' | 'payoutKey', day: bigint): Operation => ({
  touches: [key],
  call: () => ({ do: 'changeKey', key, day }),
  run: async ({ operators }, scene) => {
    const change = (tx: Tx) => changeServiceKey(tx, scene.id(key), toRules(keyRules(day)), 'less');
    return (await operators.ada.tx(change)) ? 'changed' : 'unknown';
  },
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
  key_is_lowered: lowerKey('key', usdc(2)),
  payout_key_is_lowered: lowerKey('payoutKey', usdc(2)),
  limits_are_lowered: {
    touches: ['alice'],
    call: () => ({ do: 'setLimit', day: usdc(5) }),
    run: async ({ operators }) => {
      const change = { name: 'verified', limits: { day: usdc(5) }, actor: ADA, reason: 'less' };
      return (await operators.ada.tx((tx) => changeTier(tx, change))) ? 'changed' : 'unknown';
    },
  },
  rejected_get_a_tier: {
    touches: ['alice'],
    call: () => ({ do: 'giveTier', status: 'rejected', like: 'approved' }),
    run: async ({ operators }) => {
      const change = { kycStatus: 'rejected', tier: 'verified', actor: ADA, reason: 'for a while' };
      const done = await operators.ada.tx((tx) => giveTier(tx, change));
      return typeof done === 'string' ? done : 'given';
    },
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
  alice_is_resumed: resume('alice'),
  zed_is_resumed: resume('zed'),
  chain_is_paused: {
    touches: ['queued', 'chain pause'],
    call: () => ({ do: 'pauseChain' }),
    async run({ operators }) {
      await pausePayments(operators.ada, { scope: 'chain', reason: 'looks odd', stops: 'accepting and signing' });
      return 'paused';
    },
  },
  chain_is_resumed: {
    needs: ['chainPaused'],
    touches: ['chain pause'],
    call: () => ({ do: 'resumeChain' }),
    run: async ({ operators }) =>
      (await resumePayments(operators.ada, 'chain', 'operator')) ? 'resumed' : 'not paused',
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
  treasury_refund_is_proposed: {
    needs: ['first'],
    touches: ['first'],
    prepare: (scene) =>
      scene.know('proposed', idFromKey('operator', `refund ${scene.id('first')} by treasury`, `${usdc(2)} proposed`)),
    call: () => ({ do: 'proposeRefund', id: 'proposed', payment: 'first', amount: usdc(2) }),
    run: async ({ operators }, scene) => {
      const wanted = { paymentId: scene.id('first'), amount: usdc(2) as Usdc, reason: 'proposed' };
      return (await proposeRefund(operators.anna, wanted)).outcome;
    },
  },
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
    run: ({ operators }, scene) => approveCorrection(operators.rita, scene.id('correction'), { isForced: true }),
  },
  debt_is_collected: {
    needs: ['debt'],
    touches: ['alice'],
    call: () => ({ do: 'collect', id: 'debt', who: 'alice' }),
    run: async ({ operators }, scene) =>
      `collected ${await operators.ada.tx((tx) => collectDebt(tx, scene.id('debt')))}`,
  },
};
