/** Operations of the signer, the relayer and the watcher. */
import type { Bid, TokenLog } from '../../../../../server/src/core/ports.ts';
import { depositId } from '../../../../../server/src/custody/coins/creditDeposits.ts';
import type { KnownMove } from '../../../../../server/src/custody/coins/moves.ts';
import { createRelayTx } from '../../../../../server/src/custody/eip3009/createRelayTx.ts';
import { relayTransactions } from '../../../../../server/src/custody/eip3009/relayTransactions.ts';
import { replaceCarried } from '../../../../../server/src/custody/eip3009/replaceCarried.ts';
import type { CustodyApp, DeadMove, Rail } from '../../../../../server/src/custody/rail.ts';
import { authorizeMoves } from '../../../../../server/src/custody/signing/authorizeMoves.ts';
import { signRelayTx } from '../../../../../server/src/custody/signing/signRelayTx.ts';
import { lockCursor } from '../../../../../server/src/custody/watch/cursor.ts';
import type { SeenTransfer } from '../../../../../server/src/custody/watch/matchLogs.ts';
import type { UnexplainedMove } from '../../../../../server/src/custody/watch/unexplainedMoves.ts';
import { findViolatedConstraint } from '../../../../../server/src/db/database.ts';
import { failPayments } from '../../../../../server/src/payments/sends/failPayments.ts';
import { type AssetLogs, applyLogs } from '../../../../../server/src/payments/tracking/applyLogs.ts';
import { importedId, importPayment } from '../../../../../server/src/payments/tracking/importPayment.ts';
import { trackPayments } from '../../../../../server/src/payments/tracking/trackPayments.ts';
import { FIRST_BLOCK } from '../../model/predict.ts';
import type { PersonName, Scene } from '../buildScene.ts';
import { openChain, openSigning, pollRelayer, TOKEN, validBefore } from '../openChain.ts';
import type { Side } from '../openSide.ts';
import type { Operation } from '../operation.ts';
import { usdc } from '../usdc.ts';

const unexplained = (scene: Scene): UnexplainedMove =>
  ({
    assetId: 1,
    txHash: `0x${scene.id('move').replaceAll('-', '').padEnd(64, '0')}`,
    logIndex: 0,
    providerKey: null,
  }) as unknown as UnexplainedMove;

const NOTHING_SEEN: AssetLogs = {
  asset: openChain().assets[0]!,
  heldBefore: [],
  heldNow: [],
  seen: [],
  canceled: [],
  recovered: new Set(),
};

/** The watcher's finding: the transfer of a started send, final on the chain. */
function pollStarted(scene: Scene): AssetLogs {
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
  return { ...NOTHING_SEEN, seen: [seen as unknown as SeenTransfer] };
}

/** Coins that come to a person's wallet in the block after the first. */
const arrivalOf = (scene: Scene, id: string, who: PersonName): TokenLog =>
  ({
    kind: 'transfer',
    token: TOKEN,
    amount: scene.amount(id),
    txHash: hexOf(scene, `chainTx ${id}`),
    blockNumber: BigInt(FIRST_BLOCK + 1),
    blockHash: hexOf(scene, `block ${id}`),
    logIndex: 0,
    from: scene.address('stranger'),
    to: scene.address(who),
  }) as TokenLog;

const hexOf = (scene: Scene, name: string): string => `0x${scene.id(name).replaceAll('-', '').padEnd(64, '0')}`;

const knowDeposit = (scene: Scene, id: string, who: PersonName): void =>
  scene.know(id, depositId(openChain().assets[0]!, { log: arrivalOf(scene, id, who), ordinal: 0 } as SeenTransfer));

/** A wallet is read again while the watcher reads on: both hold the cursor. */
const creditDeposit = (id: string, who: PersonName): Operation => ({
  touches: [who, 'blocks'],
  prepare: (scene) => knowDeposit(scene, id, who),
  call: (scene) => ({ do: 'deposit', id, who, amount: scene.amount(id) }),
  async run({ db, network }, scene) {
    const log = arrivalOf(scene, id, who);
    const known = { move: undefined, fromWallet: undefined, toWallet: scene.id(`wallet ${who}`), isHeld: false };
    const seen = { log, ...known, ordinal: 0 } as SeenTransfer;
    await db.tx(async (tx) => {
      await lockCursor(tx, network.networkId);
      await applyLogs(tx, network, [{ ...NOTHING_SEEN, seen: [seen] }], new Map());
    });
    return 'seen';
  },
});

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

/** Bytes of an older version are refused; the next turn of a worker makes new ones. */
async function relay({ db, custody, network }: Side, scene: Scene): Promise<void> {
  const signing = openSigning(db, scene.address('lena'));
  const signer = { signRelayTx: (id: string, bid: Bid, head: bigint) => signRelayTx(signing, id, bid, head) };
  try {
    await relayTransactions({ ...custody, signer } as unknown as CustodyApp, network, pollRelayer());
  } catch (error) {
    if (findViolatedConstraint(error) !== 'carrier_attempts_of_version') throw error;
  }
}

export const custodyDoes: Readonly<Record<string, Operation>> = {
  chain_is_final: {
    needs: ['started'],
    touches: ['started', 'lena'],
    call: () => ({ do: 'final', payment: 'started' }),
    async run({ db, network }, scene) {
      await db.tx((tx) => applyLogs(tx, network, [pollStarted(scene)], new Map()));
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
  send_is_signed: {
    needs: ['queued'],
    touches: ['queued'],
    call: () => ({ do: 'sign', payment: 'queued' }),
    async run({ db }, scene) {
      const signing = openSigning(db, scene.address('lena'));
      const refused = await authorizeMoves(signing, {}, [scene.id('queued')], validBefore());
      return refused.length > 0 ? 'refused' : 'signed';
    },
  },
  send_is_carried: {
    needs: ['signed'],
    touches: ['signed'],
    call: () => ({ do: 'carry', payment: 'signed' }),
    async run(side, scene) {
      const isMade = await createRelayTx(side.custody, side.network, pollRelayer());
      await relay(side, scene);
      return isMade ? 'made' : 'nothing';
    },
  },
  carried_is_sent: {
    needs: ['carried'],
    touches: ['carried'],
    call: () => ({ do: 'relay', payment: 'carried' }),
    async run(side, scene) {
      await relay(side, scene);
      return 'done';
    },
  },
  cancellation_takes_its_place: {
    needs: ['carried'],
    touches: ['carried'],
    call: () => ({ do: 'replace', payment: 'carried' }),
    async run({ custody, network }) {
      await replaceCarried(custody, network);
      return 'done';
    },
  },
  deposit_of_alice: creditDeposit('deposit_of_alice', 'alice'),
  deposit_of_zed: creditDeposit('deposit_of_zed', 'zed'),
  block_is_read: {
    touches: ['alice', 'blocks'],
    prepare: (scene) => knowDeposit(scene, 'arrived', 'alice'),
    call: (scene) => ({ do: 'readBlock', id: 'arrived', who: 'alice', amount: scene.amount('arrived') }),
    async run({ custody }, scene) {
      await trackPayments(custody, openChain([arrivalOf(scene, 'arrived', 'alice')]));
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
};
