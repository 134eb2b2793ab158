/** A world with servers that cache names and sessions, clients that repeat their calls, and operators. */
import { parseUsdc } from '../../../server/src/core/money.ts';
import type { Hex } from '../../../server/src/core/ports.ts';
import { restartRelayer } from '../../../server/src/custody/eip3009/restartRelayer.ts';
import { type Callers, openCallers } from '../../../server/src/customers/sessions/openCallers.ts';
import { openDatabase } from '../../../server/src/db/database.ts';
import { trackPayments } from '../../../server/src/payments/tracking/trackPayments.ts';
import { openUserPayments } from '../../../server/src/payments/users/openUserPayments.ts';
import { sendToUser } from '../../../server/src/payments/users/sendToUser.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../chain/custody.ts';
import { type SetUp, setUp } from '../circle/sendingWorld.ts';
import { HOME } from '../values.ts';
import { ageRows } from './ageRows.ts';
import {
  cancelIn,
  codeOf,
  confirmAll,
  importMoves,
  noteRestored,
  type Person,
  readAvailable,
  type Stage,
} from './stage.ts';

export interface Scene extends Stage {
  readonly world: CustodyWorld;
  readonly callers: Callers;
  /** The id of the payment, or the code of its refusal. */
  pay(from: Holder, receiver: string, amount: string, key: string, accessToken?: string): Promise<string>;
  /** The id of the payment, or the code of its refusal. The same key is the same call. */
  send(request: Parameters<CustodyWorld['send']>[0], key: string): Promise<string>;
}

const SETTINGS = { missingAfterMs: 0 };

export async function startScene(kind: SetUp = 'own keys'): Promise<Scene> {
  const home = setUp(kind);
  const world = await startCustody(SETTINGS, home.options);
  let callers: Callers;
  let userPayments: ReturnType<typeof openUserPayments>;
  function openProcesses(): void {
    const { databaseUrl, db } = world;
    callers = openCallers(databaseUrl);
    userPayments = openUserPayments({
      databaseUrl,
      db,
      homeBlockchain: HOME,
      currency: 'USDC',
      sessions: callers.sessions,
    });
  }
  async function closeProcesses(): Promise<void> {
    await userPayments.close();
    await callers.close();
  }
  const scene: Scene = {
    place: kind,
    world,
    get db() {
      return world.db;
    },
    get databaseUrl() {
      return world.databaseUrl;
    },
    get double() {
      return home.double();
    },
    life: home.life,
    get callers() {
      return callers;
    },
    people: <Name extends string>(amounts: Readonly<Record<Name, string>>) =>
      world.fund(amounts) as Promise<Record<Name, Person>>,
    newAddress: randomAddress,
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
    cancel: (paymentId) => cancelIn(world.db, paymentId),
    stateOf: async (paymentId) => (await world.get(paymentId))?.state,
    paidTo: async (address) => (await world.listTransfers(address as Hex)).map(({ amount }) => amount),
    available: (...people) => readAvailable(world.db, world.usdc.assetId, people),
    work: () => world.work(),
    step: () => world.mine(),
    async age(hours) {
      await world.mine(1, hours * 3_600);
      await ageRows(world.databaseUrl, hours);
    },
    settleDown: () => world.settleDown(),
    poll: () => poll(world),
    importMoves: (are) => importMoves(world.db, are),
    async goOn() {
      const { address } = await world.wallets.create({ kind: 'relayer', number: 0 });
      await restartRelayer(world, world.network, address, 'operator:anna');
      await confirmAll(world.db);
      await world.settleDown();
    },
    async openServers({ isRestored = false } = {}) {
      world.db = openDatabase(world.databaseUrl);
      if (isRestored) await noteRestored(world.db);
      openProcesses();
    },
    async closeServers() {
      await closeProcesses();
      await world.db.close();
    },
    faults: () => world.faults(),
    async stop() {
      await closeProcesses();
      await world.stop();
    },
  };
  openProcesses();
  return scene;
}

async function poll(world: CustodyWorld): Promise<void> {
  while (await trackPayments(world, world.network));
}
