/**
 * Every cause for a pause of sends, produced from outside: by the chain, its nodes, an attacker with a key, an attacker
 * in the database. For each, the steps with which the service notices, and the operator's steps from docs/custody.md.
 */
import { encodeAbiParameters, encodeFunctionData, keccak256, numberToHex, parseSignature, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { usdcAbi } from '../../../server/src/adapters/chain/usdcAbi.ts';
import { viemChain } from '../../../server/src/adapters/chain/viemChain.ts';
import type { Hex } from '../../../server/src/core/ports.ts';
import { pauseOnDrift } from '../../../server/src/custody/coins/pauseOnDrift.ts';
import { watchGas } from '../../../server/src/custody/eip3009/relayers.ts';
import { restartRelayer } from '../../../server/src/custody/eip3009/restartRelayer.ts';
import { listUnexplained } from '../../../server/src/custody/watch/unexplainedMoves.ts';
import { cancelPayment } from '../../../server/src/payments/sends/cancelPayment.ts';
import { trackPayments } from '../../../server/src/payments/tracking/trackPayments.ts';
import { accepted } from '../chain/accepted.ts';
import { type CustodyWorld, type Holder, randomAddress } from '../chain/custody.ts';
import { serveTestChain } from '../chain/serveTestChain.ts';
import { asAdmin } from '../database.ts';
import { catchUp } from '../ledger/auditAll.ts';
import { HOME } from '../values.ts';

export interface PausedScene {
  readonly world: CustodyWorld;
  /** Her coins are under our own key. */
  readonly ada: Holder;
  /** Her coins are at a provider who can be made to move them. */
  readonly eve: Holder;
  /** `florin …`, as an operator types it; a second operator approves. */
  type(...args: string[]): Promise<string>;
  typeAsSecond(...args: string[]): Promise<string>;
}

interface PauseCase {
  readonly name: string;
  /** All causes for which sends are paused, in alphabetical order, each with its reason. */
  readonly pauses: readonly (readonly [cause: string, says: RegExp])[];
  /** Alerts that fire beside `FlorinSendsPaused`. */
  readonly alerts?: readonly string[];
  happen(scene: PausedScene): Promise<unknown>;
  notice(scene: PausedScene): Promise<unknown>;
  /** The repair that ends the pause, in addition to `florin pause remove`. */
  repair?(scene: PausedScene): Promise<unknown>;
  /** Causes that an operator ends with `florin pause remove`; others end with the repair. */
  readonly removes: readonly string[];
}

const track = async ({ world }: PausedScene) => {
  while (await trackPayments(world, world.network));
};

/** Nothing that happened before is in blocks that a deep reorg replaces. */
const mineDeep = async (scene: PausedScene) => {
  await scene.world.mine(12);
  await track(scene);
};

const loseBlocks = async ({ world }: PausedScene, depth: number) => {
  await world.turn('/reorg', { depth, orphans: 'drop' });
  await world.mine(6);
};

async function steal({ world, eve }: PausedScene, to: Hex): Promise<void> {
  const [row] = await world.db.query<{ reference: string }>('SELECT reference FROM wallets WHERE lower(address) = $1', [
    eve.coinsAddress.toLowerCase(),
  ]);
  await world.provider.steal(row!.reference, to, 1_000_000n);
  await world.mine(5);
}

async function correct({ type, typeAsSecond }: PausedScene, ...args: string[]): Promise<void> {
  const said = await type('books', 'correct', HOME, ...args, '--why', 'a test');
  await typeAsSecond('books', 'approve', /Proposed as ([0-9a-f-]+)\./.exec(said)![1]!);
}

/** The storage slot of the test token's balances. */
const STATES_SLOT = 2n;

/** Without a log, as no honest token does. */
async function takeCoins({ world }: PausedScene, address: Hex, amount: bigint): Promise<void> {
  const words = encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [address, STATES_SLOT]);
  const left = numberToHex((await world.balance(address)) - amount, { size: 32 });
  await world.local.read('hardhat_setStorageAt', [world.usdc.contract, keccak256(words), left]);
  await world.mine(5);
}

/** An attacker with superuser rights in the database. */
const changeBalance = ({ world, ada }: PausedScene, by: bigint) =>
  asAdmin(world.databaseUrl, 'UPDATE accounts SET available = available + $2 WHERE user_id = $1', [ada.userId, by]);

const relayerOf = ({ world }: PausedScene) => world.wallets.create({ kind: 'relayer', number: 0 });

const giveGas = async (scene: PausedScene, wei: bigint) =>
  scene.world.local.setBalance((await relayerOf(scene)).address, wei);

/** An attacker has the relayer's key. */
async function useRelayer(scene: PausedScene): Promise<void> {
  const { world } = scene;
  const { reference, address } = await relayerOf(scene);
  const signed = await world.wallets.signRelayTx(reference, {
    chainId: world.chain.chainId,
    nonce: await world.chain.getNonce(address, 'latest'),
    to: address,
    data: '0x',
    gasLimit: 21_000n,
    maxFeePerGas: 10_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  });
  await world.chain.broadcast(accepted(signed).raw);
  await world.mine(4);
}

const SPENT = { amount: '1', walletUsername: 'ada' } as const;

/** A send whose cancellation is final; returns the bytes that would have paid it. */
async function cancelFinally(scene: PausedScene): Promise<Hex> {
  const { world } = scene;
  const id = await world.send(SPENT);
  await world.work();
  await world.db.tx((tx) => cancelPayment(tx, { paymentId: id }));
  for (let i = 0; i < 6; i++) {
    await world.work();
    await world.mine();
  }
  const [first] = await world.db.query<{ raw: Buffer }>(
    `SELECT a.raw FROM carrier_attempts a JOIN carrier_calls USING (carrier_id)
      WHERE move_id = $1 ORDER BY a.version, a.created_at LIMIT 1`,
    [id],
  );
  return toHex(first!.raw);
}

/** The wallet's own key cancels a paid authorization, in a stranger's chain transaction. */
async function cancelByStranger({ world, ada }: PausedScene, id: string): Promise<void> {
  const [row] = await world.db.query<{ nonce: Buffer; reference: string }>(
    `SELECT nonce, reference FROM authorizations JOIN coin_moves USING (move_id) JOIN wallets USING (wallet_id)
      WHERE move_id = $1`,
    [id],
  );
  const nonce = toHex(row!.nonce);
  const signed = await world.wallets.signCancellation(row!.reference, world.usdc.domain, ada.address, nonce);
  const { r, s, v } = parseSignature(accepted(signed).signature);
  const stranger = privateKeyToAccount(keccak256(toHex(id)));
  await world.turn('/faucet', { address: stranger.address, eth: '1' });
  await world.mine();
  const raw = await stranger.signTransaction({
    type: 'eip1559',
    chainId: world.chain.chainId,
    nonce: 0,
    to: world.usdc.contract,
    data: encodeFunctionData({
      abi: usdcAbi,
      functionName: 'cancelAuthorization',
      args: [ada.address, nonce, Number(v), r, s],
    }),
    gas: 200_000n,
    maxFeePerGas: 100_000_000_000n,
    maxPriorityFeePerGas: 2_000_000_000n,
  });
  await world.local.broadcast(raw);
}

export const PAUSE_CASES: readonly PauseCase[] = [
  {
    name: 'coins left a wallet without a send',
    pauses: [['unexplained', /^coins left wallet \S+ in /]],
    happen: (scene) => steal(scene, randomAddress()),
    notice: track,
    repair: ({ type }) => type('payment', 'import'),
    removes: [],
  },
  {
    name: 'coins went from one wallet of ours to another without a send',
    pauses: [['unexplained', /^coins left wallet \S+ for wallet \S+ in /]],
    happen: (scene) => steal(scene, scene.ada.address),
    notice: track,
    async repair({ world, type }) {
      const [move] = await listUnexplained(world.db);
      await type('payment', 'import', move!.txHash, String(move!.logIndex), '--as', 'payment');
    },
    removes: [],
  },
  {
    name: 'a wallet has fewer coins than were counted',
    alerts: ['FlorinDrift'],
    pauses: [['drift', /^wallet \S+ differs by -2 USDC at block \d+$/]],
    happen: (scene) => takeCoins(scene, scene.ada.address, 2_000_000n),
    async notice(scene) {
      await track(scene);
      for (let i = 0; i < 2; i++) await pauseOnDrift(scene.world, scene.world.network);
    },
    repair: (scene) => correct(scene, '--less', '2', '--wallet', scene.ada.walletId),
    removes: ['drift'],
  },
  {
    name: 'a balance does not match its transfers',
    alerts: ['FlorinAuditFault'],
    pauses: [
      ['audit', /^account \d+: it has \d+ available, and its last movement leaves \d+; .*: florin books audit$/],
    ],
    happen: ({ world }) => catchUp(world.db),
    async notice(scene) {
      await changeBalance(scene, 5n);
      await catchUp(scene.world.db);
    },
    async repair(scene) {
      await changeBalance(scene, -5n);
      await catchUp(scene.world.db);
    },
    removes: ['audit'],
  },
  {
    name: 'no relayer can pay for gas',
    alerts: ['FlorinGasLow'],
    pauses: [['gas', /^no relayer can pay for gas; 0x\w+: it has 0 coins and needs \d[\d.]*$/]],
    happen: (scene) => giveGas(scene, 1n),
    notice: ({ world }) => watchGas(world, world.network),
    async repair(scene) {
      await giveGas(scene, 10n ** 20n);
      await watchGas(scene.world, scene.world.network);
    },
    removes: [],
  },
  {
    name: 'someone else uses the key of the only relayer, again and again',
    alerts: ['FlorinRelayerStopped'],
    pauses: [['gas', /^no relayer works; 0x\w+: .*used elsewhere again.*florin relayer restart/]],
    async happen(scene) {
      const { world } = scene;
      await useRelayer(scene);
      for (let i = 0; i < 3; i++) await watchGas(world, world.network);
      await asAdmin(world.databaseUrl, `UPDATE relayers SET foreign_since = now() - interval '2 hours'`);
      await useRelayer(scene);
    },
    async notice({ world }) {
      for (let i = 0; i < 3; i++) await watchGas(world, world.network);
    },
    async repair(scene) {
      const { world } = scene;
      // Does the same as `florin relayer restart`, which reads its nodes from the environment.
      await restartRelayer(world, world.network, (await relayerOf(scene)).address, 'operator:anna');
      await watchGas(world, world.network);
    },
    removes: [],
  },
  {
    name: 'an operator has paused the signing of sends',
    alerts: ['FlorinPauseForgotten'],
    pauses: [['operator', /^an inspection of the keys$/]],
    happen: async () => {},
    notice: ({ type }) => type('pause', 'add', `chain:${HOME}`, '--signing', '--why', 'an inspection of the keys'),
    removes: ['operator'],
  },
  {
    name: 'the nodes follow another chain',
    pauses: [['reorg', /^the chain has been replaced further back than we can follow$/]],
    happen: async () => {},
    async notice({ world }) {
      const other = await serveTestChain();
      try {
        await other.local.mine({ count: 300, advanceSeconds: 7 });
        const network = { ...world.network, chain: viemChain(other.config) };
        while (await trackPayments(world, network));
      } finally {
        await other.close();
      }
    },
    removes: ['reorg'],
  },
  {
    name: 'a final block is replaced',
    pauses: [['reorg', /^a block that was final has been replaced$/]],
    async happen(scene) {
      await mineDeep(scene);
      await loseBlocks(scene, 7);
    },
    notice: track,
    removes: ['reorg'],
  },
  {
    name: 'a credited deposit vanishes with its final block',
    pauses: [
      ['contradicted', /^a credited deposit of 7 USDC vanished from ETH-SEPOLIA \(0x\w+\)$/],
      ['reorg', /^a block that was final has been replaced$/],
    ],
    async happen(scene) {
      await mineDeep(scene);
      await scene.world.turn('/faucet', { address: scene.ada.address, usdc: '7' });
      await scene.world.mine(5);
      await track(scene);
      await loseBlocks(scene, 7);
    },
    notice: track,
    removes: ['contradicted', 'reorg'],
  },
  {
    name: 'an imported payment vanishes with its final block',
    pauses: [
      ['contradicted', /^an imported payment of 1 USDC vanished from ETH-SEPOLIA \(\S+\)$/],
      ['reorg', /^a block that was final has been replaced$/],
    ],
    async happen(scene) {
      await mineDeep(scene);
      await steal(scene, randomAddress());
      await track(scene);
      await scene.type('payment', 'import');
      await loseBlocks(scene, 7);
    },
    notice: track,
    repair: (scene) => correct(scene, '--more', '1'),
    removes: ['contradicted', 'reorg'],
  },
  {
    name: 'a payment whose hold was released is paid later',
    pauses: [
      ['contradicted', /^paid although its hold was released: \S+$/],
      ['reorg', /^a block that was final has been replaced$/],
    ],
    async happen(scene) {
      const { world } = scene;
      await mineDeep(scene);
      const paying = await cancelFinally(scene);
      await world.turn('/reorg', { depth: 8, orphans: 'drop' });
      await world.local.broadcast(paying);
      await world.mine(6);
    },
    notice: track,
    repair: (scene) => correct(scene, '--less', '1'),
    removes: ['contradicted', 'reorg'],
  },
  {
    name: 'a completed payment is cancelled on the chain later',
    pauses: [
      ['contradicted', /^cancelled on chain although it was paid: \S+$/],
      ['reorg', /^a block that was final has been replaced$/],
    ],
    async happen(scene) {
      const { world } = scene;
      await mineDeep(scene);
      const id = await world.send(SPENT);
      for (let i = 0; i < 6; i++) {
        await world.work();
        await world.mine();
      }
      await world.turn('/reorg', { depth: 8, orphans: 'drop' });
      await cancelByStranger(scene, id);
      await world.mine(6);
    },
    notice: track,
    repair: (scene) => correct(scene, '--more', '1'),
    removes: ['contradicted', 'reorg'],
  },
];
