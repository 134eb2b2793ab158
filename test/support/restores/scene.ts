/** A world with servers that remember names and sessions, clients that repeat their calls, and operators. */
import { parseUsdc } from '../../../server/src/core/money.ts';
import { restartRelayer } from '../../../server/src/custody/eip3009/restartRelayer.ts';
import { explainAsSettlement, listUnexplained } from '../../../server/src/custody/watch/unexplainedMoves.ts';
import { type Callers, openCallers } from '../../../server/src/customers/sessions/openCallers.ts';
import { openDatabase } from '../../../server/src/db/database.ts';
import { checkIdentity, confirmRestore, noteRestore } from '../../../server/src/operators/restores.ts';
import { importedId, importPayment } from '../../../server/src/payments/sends/importPayment.ts';
import { trackPayments } from '../../../server/src/payments/sends/trackPayments.ts';
import { openUserPayments } from '../../../server/src/payments/users/openUserPayments.ts';
import { sendToUser } from '../../../server/src/payments/users/sendToUser.ts';
import { type CustodyWorld, type Holder, startCustody } from '../chain/custody.ts';
import { type SetUp, setUp } from '../circle/sendingWorld.ts';
import { HOME } from '../values.ts';

export type ServersWere = 'stopped' | 'left running';

export interface Scene {
  readonly world: CustodyWorld;
  readonly callers: Callers;
  /** The id of the payment, or the code of its refusal. */
  pay(from: Holder, receiver: string, amount: string, key: string, accessToken?: string): Promise<string>;
  /** The id of the payment, or the code of its refusal. The same key is the same call. */
  send(request: Parameters<CustodyWorld['send']>[0], key: string): Promise<string>;
  owed(...holders: readonly Holder[]): Promise<bigint[]>;
  openServers(): void;
  closeServers(): Promise<void>;
  stop(): Promise<void>;
}

const SETTINGS = { missingAfterMs: 0 };

export async function startScene(kind: SetUp = 'own keys'): Promise<Scene> {
  const world = await startCustody(SETTINGS, setUp(kind).options);
  let callers: Callers;
  let userPayments: ReturnType<typeof openUserPayments>;
  const scene: Scene = {
    world,
    get callers() {
      return callers;
    },
    async pay(from, receiver, amount, key, accessToken) {
      return codeOf(async () => {
        const caller = accessToken === undefined ? undefined : await callers.recall(accessToken);
        const request = {
          senderId: from.userId!,
          receiver,
          amount: parseUsdc(amount),
          caller,
          key: { caller: from.userId!, route: '/api/v1/send_usdc', text: key },
        };
        const { result } = await sendToUser({ userPayments }, request);
        if ('refusal' in result) throw result.refusal;
        return result.payment.paymentId;
      });
    },
    send: (request, key) =>
      codeOf(() => world.send({ ...request, key: { caller: 'robot', route: '/wallet/send-usdc', text: key } })),
    async owed(...holders) {
      const rows = await world.db.query<{ user_id: string | null; kind: string; owed: bigint }>(
        `SELECT user_id, kind, available + held AS owed FROM accounts WHERE asset_id = $1`,
        [world.usdc.assetId],
      );
      return holders.map(
        ({ userId }) => rows.find((row) => (userId ? row.user_id === userId : row.kind === 'treasury'))?.owed ?? 0n,
      );
    },
    openServers() {
      const { databaseUrl, db } = world;
      callers = openCallers(databaseUrl);
      userPayments = openUserPayments({ databaseUrl, db, homeBlockchain: HOME, sessions: callers.sessions });
    },
    async closeServers() {
      await userPayments.close();
      await callers.close();
    },
    async stop() {
      await scene.closeServers();
      await world.stop();
    },
  };
  scene.openServers();
  return scene;
}

/** A server that lost its connection says so, and the client asks again. */
async function codeOf(call: () => Promise<string>): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const { code } = error as { code?: string };
      if (!code) throw error;
      if (code !== 'service.unavailable' || attempt >= 50) return code;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Brings the backup back, under the feet of the servers or while they are stopped. */
export async function restoreUnder(scene: Scene, servers: ServersWere, restore: () => Promise<void>): Promise<void> {
  const { world } = scene;
  if (servers === 'left running') return restore();
  await scene.closeServers();
  await world.db.close();
  await restore();
  world.db = openDatabase(world.databaseUrl);
  // What `docs/operating/restore.md` says to do before servers start, and what they do at their start.
  await world.db.tx((tx) => noteRestore(tx, 'the story says so', 'operator:anna'));
  await checkIdentity(world.db);
  await world.db.query('SELECT ledger_rebase()');
  scene.openServers();
}

/** What operators do after a restore (docs/operating/restore.md), once clients have repeated their calls, or before. */
export async function importMoves({ world }: Scene, are: 'payments' | 'settlements' = 'payments'): Promise<void> {
  for (const move of await listUnexplained(world.db)) {
    // Nothing on the chain says what a provider's transfer between two wallets of ours was: a person does.
    const isUnclear = move.toWallet !== null && !move.hasNonce && !move.isSettlement;
    await world.db.tx((tx) =>
      isUnclear && are === 'settlements'
        ? explainAsSettlement(tx, move)
        : importPayment(tx, importedId(move), move).then(() => true),
    );
  }
}

export async function look({ world }: Scene): Promise<void> {
  while (await trackPayments(world, world.network));
}

export async function goOn(scene: Scene): Promise<void> {
  const { world } = scene;
  const { address } = await world.wallets.create({ kind: 'relayer', number: 0 });
  await restartRelayer(world, world.network, address, 'operator:anna');
  for (const what of ['keys', 'sessions'] as const) {
    await world.db.tx((tx) => confirmRestore(tx, what, 'operator:anna'));
  }
  await world.settleDown();
}
