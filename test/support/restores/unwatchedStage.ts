import { randomBytes } from 'node:crypto';
import { encodeBase58 } from '../../../sandbox/src/circle/keys.ts';
import { parseUsdc } from '../../../server/src/core/money.ts';
import { readPayment } from '../../../server/src/payments/read/readPayment.ts';
import { startUnwatchedWorld } from '../circle/unwatchedChain.ts';
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

const BLOCKCHAINS = { Solana: 'SOL-DEVNET', Aptos: 'APTOS-TESTNET' } as const;
const TURNS = 30;
const DRIP = 10_000_000n;
/** The double deducts the coins when it reports CONFIRMED. */
const MOVED = ['CONFIRMED', 'COMPLETE'];

/** Wallets on an unwatched chain. */
export async function startUnwatchedStage(place: keyof typeof BLOCKCHAINS): Promise<Stage> {
  const unwatched = await startUnwatchedWorld(BLOCKCHAINS[place]);
  const { double, life } = unwatched;
  async function settleDown(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) {
      await unwatched.work();
      await unwatched.step();
      const [{ open } = { open: 0 }] = await unwatched.db.query<{ open: number }>(
        `SELECT (SELECT count(*) FROM payments WHERE NOT payment_is_final(state))::int
              + (SELECT count(*) FROM coin_moves WHERE state = 'open')::int + (SELECT count(*) FROM jobs)::int AS open`,
      );
      if (open === 0) break;
    }
    await unwatched.work();
  }
  return {
    place,
    get db() {
      return unwatched.db;
    },
    databaseUrl: unwatched.databaseUrl,
    double,
    life,
    async people<Name extends string>(amounts: Readonly<Record<Name, string>>) {
      const people: [string, Person][] = [];
      for (const [name, amount] of Object.entries<string>(amounts)) {
        people.push([name, await unwatched.person(name, Number(parseUsdc(amount) / DRIP))]);
      }
      return Object.fromEntries(people) as Record<Name, Person>;
    },
    newAddress: () => (place === 'Solana' ? encodeBase58(randomBytes(32)) : `0x${randomBytes(32).toString('hex')}`),
    send: ({ walletId, destination, amount }, key) =>
      codeOf(() =>
        unwatched.send(walletId, destination, amount, { caller: 'robot', route: '/wallet/send-usdc', text: key }),
      ),
    cancel: (paymentId) => cancelIn(unwatched.db, paymentId),
    stateOf: async (paymentId) => (await readPayment(unwatched.db, paymentId))?.state,
    async paidTo(address) {
      const sent = double.control
        .transactions()
        .filter(({ transactionType, state }) => transactionType === 'OUTBOUND' && MOVED.includes(state));
      return sent
        .filter(({ destinationAddress }) => destinationAddress === address)
        .map(({ amounts }) => parseUsdc(amounts[0]!));
    },
    available: (...people) => readAvailable(unwatched.db, unwatched.assetId, people),
    work: () => unwatched.work(),
    step: () => unwatched.step(),
    age: (hours) => ageRows(unwatched.databaseUrl, hours),
    settleDown,
    poll: () => unwatched.track(),
    importMoves: (are) => importMoves(unwatched.db, are),
    async goOn() {
      await confirmAll(unwatched.db);
      await settleDown();
    },
    async openServers({ isRestored = false } = {}) {
      unwatched.reconnect();
      if (isRestored) await noteRestored(unwatched.db);
    },
    closeServers: () => unwatched.disconnect(),
    faults: () => unwatched.faults(),
    stop: () => unwatched.stop(),
  };
}
