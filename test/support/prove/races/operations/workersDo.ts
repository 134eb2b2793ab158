/** What workers do. Each meets itself too: a lease saves double work but does not prevent it. */
import type { KnownMove } from '../../../../../server/src/custody/coins/moves.ts';
import type { DeadMove, Rail } from '../../../../../server/src/custody/rail.ts';
import type { UnexplainedMove } from '../../../../../server/src/custody/watch/unexplainedMoves.ts';
import { claimJobs, endJobs } from '../../../../../server/src/jobs/jobs.ts';
import { runPayouts } from '../../../../../server/src/payments/payouts/runPayouts.ts';
import { type AssetLook, applyLooks } from '../../../../../server/src/payments/sends/applyLogs.ts';
import { failPayments } from '../../../../../server/src/payments/sends/failPayments.ts';
import { importedId, importPayment } from '../../../../../server/src/payments/sends/importPayment.ts';
import { submitJob } from '../../../../../server/src/payments/sends/sendCommand.ts';
import { submitPayments } from '../../../../../server/src/payments/sends/submitPayments.ts';
import { HOME } from '../../../values.ts';
import type { Scene } from '../buildScene.ts';
import type { Operation } from '../operation.ts';
import { usdc } from '../usdc.ts';

/** Longer than any schedule takes. */
const LEASE_MS = 600_000;

const unexplained = (scene: Scene): UnexplainedMove =>
  ({
    assetId: 1,
    txHash: `0x${scene.id('move').replaceAll('-', '').padEnd(64, '0')}`,
    logIndex: 0,
    providerKey: null,
  }) as unknown as UnexplainedMove;

/** What the watcher has matched: the transfer of a started send, final on the chain. */
function lookAtStarted(scene: Scene): AssetLook {
  const move = {
    moveId: scene.id('started'),
    purpose: 'send',
    state: 'open',
    amount: usdc(1),
    walletId: scene.id('wallet lena'),
    settlementId: null,
    funds: null,
  } as unknown as KnownMove;
  const log = {
    kind: 'transfer',
    amount: usdc(1),
    txHash: `0x${scene.id('started').replaceAll('-', '').padEnd(64, '1')}`,
    blockNumber: 1_001n,
    from: scene.address('lena'),
    to: scene.address('started'),
  };
  const seen = { log, move, fromWallet: scene.id('wallet lena'), toWallet: undefined, isHeld: false, ordinal: 0 };
  return {
    asset: { assetId: 1 },
    heldBefore: [],
    heldNow: [],
    seen: [seen],
    canceled: [],
    learned: new Set(),
  } as unknown as AssetLook;
}

/** A rail that has the proof that the send can never happen. */
const provenDead = (scene: Scene): Rail => {
  const dead: DeadMove = {
    moveId: scene.id('started'),
    reason: 'it can never happen',
    isRefused: false,
    isCancelled: false,
    holds: async () => true,
  } as unknown as DeadMove;
  return { name: 'eip3009', findDead: async () => [dead] } as unknown as Rail;
};

const submit = (payment: 'accepted' | 'waiting', claims: boolean): Operation => ({
  needs: [payment],
  touches: [payment],
  call: () => ({ do: 'submit', payment, claims }),
  async run({ db, custody, network }, scene) {
    if (!claims) {
      const [outcome] = await submitPayments(custody, network, [scene.id(payment)]);
      return String(outcome instanceof Error ? outcome.message : typeof outcome === 'object' ? 'done' : outcome);
    }
    const jobs = await claimJobs(db, submitJob(HOME), 1, LEASE_MS);
    if (jobs.length === 0) return 'nothing to do';
    const [outcome] = await submitPayments(custody, network, [jobs[0]!.key]);
    if (outcome !== 'done') return String(outcome);
    await endJobs(db, jobs);
    return 'done';
  },
});

export const workersDo: Readonly<Record<string, Operation>> = {
  worker_submits: submit('accepted', true),
  late_worker_submits: submit('accepted', false),
  worker_submits_waiting: submit('waiting', false),
  chain_is_final: {
    needs: ['started'],
    touches: ['started', 'lena'],
    call: () => ({ do: 'final', payment: 'started' }),
    async run({ db, network }, scene) {
      await db.tx((tx) => applyLooks(tx, network, [lookAtStarted(scene)], new Map()));
      return 'seen';
    },
  },
  send_is_proven_dead: {
    needs: ['started'],
    touches: ['started', 'lena'],
    call: () => ({ do: 'fail', payment: 'started' }),
    async run({ custody, network }, scene) {
      await failPayments({ ...custody, rails: { local: provenDead(scene) } }, network);
      return 'seen';
    },
  },
  move_is_imported: {
    needs: ['move'],
    touches: ['alice', 'move'],
    prepare: (scene) => scene.know('imported', importedId(unexplained(scene))),
    call: () => ({ do: 'import', move: 'move', id: 'imported' }),
    async run({ operators }, scene) {
      await operators.ada.tx((tx) => importPayment(tx, importedId(unexplained(scene)), unexplained(scene)));
      return 'imported';
    },
  },
  payout_runs: {
    needs: ['running'],
    touches: ['running', 'alice', 'zed', 'payoutKey', 'names'],
    call: () => ({ do: 'runPayout', payout: 'running' }),
    async run({ db }, scene) {
      const places = { screen: async () => ({ isPaused: false, blacklisted: [] }) };
      const sendRules = { approvalThreshold: undefined, newRecipientDelaySeconds: 0 };
      const [outcome] = await runPayouts({ db, sendRules, places }, [scene.id('running')]);
      if (outcome instanceof Error) throw outcome;
      return outcome === 'done' ? 'done' : 'again';
    },
  },
};
