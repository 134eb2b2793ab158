import { randomBytes } from 'node:crypto';
import { encodeBase58 } from '../../../sandbox/src/circle/keys.ts';
import { parseUsdc } from '../../../server/src/core/money.ts';
import { readPayment } from '../../../server/src/payments/read/readPayment.ts';
import { startElsewhere } from '../circle/unwatchedChain.ts';
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
export async function startElsewhereStage(place: keyof typeof BLOCKCHAINS): Promise<Stage> {
  const elsewhere = await startElsewhere(BLOCKCHAINS[place]);
  const { double, life } = elsewhere;
  async function settleDown(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) {
      await elsewhere.work();
      await elsewhere.step();
      const [{ open } = { open: 0 }] = await elsewhere.db.query<{ open: number }>(
        `SELECT (SELECT count(*) FROM payments WHERE NOT payment_is_final(state))::int
              + (SELECT count(*) FROM coin_moves WHERE state = 'open')::int + (SELECT count(*) FROM jobs)::int AS open`,
      );
      if (open === 0) break;
    }
    await elsewhere.work();
  }
  return {
    place,
    get db() {
      return elsewhere.db;
    },
    databaseUrl: elsewhere.databaseUrl,
    double,
    life,
    async people<Name extends string>(amounts: Readonly<Record<Name, string>>) {
      const people: [string, Person][] = [];
      for (const [name, amount] of Object.entries<string>(amounts)) {
        people.push([name, await elsewhere.person(name, Number(parseUsdc(amount) / DRIP))]);
      }
      return Object.fromEntries(people) as Record<Name, Person>;
    },
    newAddress: () => (place === 'Solana' ? encodeBase58(randomBytes(32)) : `0x${randomBytes(32).toString('hex')}`),
    send: ({ walletId, destination, amount }, key) =>
      codeOf(() =>
        elsewhere.send(walletId, destination, amount, { caller: 'robot', route: '/wallet/send-usdc', text: key }),
      ),
    cancel: (paymentId) => cancelIn(elsewhere.db, paymentId),
    stateOf: async (paymentId) => (await readPayment(elsewhere.db, paymentId))?.state,
    async paidTo(address) {
      const sent = double.control
        .transactions()
        .filter(({ transactionType, state }) => transactionType === 'OUTBOUND' && MOVED.includes(state));
      return sent
        .filter(({ destinationAddress }) => destinationAddress === address)
        .map(({ amounts }) => parseUsdc(amounts[0]!));
    },
    available: (...people) => readAvailable(elsewhere.db, elsewhere.assetId, people),
    work: () => elsewhere.work(),
    step: () => elsewhere.step(),
    age: (hours) => ageRows(elsewhere.databaseUrl, hours),
    settleDown,
    look: () => elsewhere.track(),
    importMoves: (are) => importMoves(elsewhere.db, are),
    async goOn() {
      await confirmAll(elsewhere.db);
      await settleDown();
    },
    async openServers({ isRestored = false } = {}) {
      elsewhere.reconnect();
      if (isRestored) await noteRestored(elsewhere.db);
    },
    closeServers: () => elsewhere.disconnect(),
    faults: () => elsewhere.faults(),
    stop: () => elsewhere.stop(),
  };
}
