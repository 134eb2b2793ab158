/** An operator at a command line, and people, payments, deposits and a payout that customers ask about. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { parseUsdc } from '../../../server/src/core/money.ts';
import { openSession } from '../../../server/src/customers/sessions/sessions.ts';
import { type Db, openDatabase } from '../../../server/src/db/database.ts';
import { sendToUser } from '../../../server/src/payments/users/sendToUser.ts';
import { openTestDatabase } from '../database/openTestDatabase.ts';
import { asAdmin, urlAs } from '../database.ts';
import { operate } from '../operate.ts';
import { createPerson, type Person } from '../payments.ts';
import { drivePayouts } from '../payouts/drivePayouts.ts';
import { giveTreasury } from '../payouts/giveTreasury.ts';
import { makeKey } from '../payouts/makeKey.ts';
import { HOME } from '../values.ts';
import { ask, openRequestsServer } from './requests.ts';

export const OTHER = 'BASE-SEPOLIA';
export const OUTSIDE = `0x${'a1'.repeat(20)}`;
export const SENDER = `0x${'f'.repeat(40)}`;
/** As long as names get. */
export const ADA = 'ada_lovelace_with_a_long_name1';
export const BOB = 'bob_the_builder_has_a_long_one';
export const [HASH, PENDING_HASH] = [`0x${'d1'.repeat(32)}`, `0x${'d2'.repeat(32)}`] as const;
export const ADAS_WALLET = { id: randomUUID(), address: `0x${'ad'.repeat(20)}` };

/** The output with `--json`. */
type Shown = { readonly [name: string]: Shown } & readonly Shown[];

interface Desk {
  readonly db: Db;
  readonly adminUrl: string;
  readonly operator: Db;
  readonly ada: Person;
  /**
   * Of payments, from the oldest to the newest, one a day: deposits of the treasury and of a person, payments between
   * people, and the paid rows of a payout. And of other things that have ids.
   */
  readonly ids: Record<(typeof PAYMENTS)[number] | 'payout' | 'request' | 'session' | 'refused', string>;
  florin(...args: string[]): Promise<string>;
  asJson(...args: string[]): Promise<Shown>;
  /** The day of a payment, in UTC. */
  dayOf(id: string): Promise<string>;
  stop(): Promise<void>;
}

const PAYMENTS = ['oldest', 'older', 'deposit', 'first', 'second', 'paidRow', 'send'] as const;

/** One desk for all tests of a file, from the start of its first test. */
export function useDesk(): Desk {
  const desk = {} as Desk;
  beforeAll(async () => {
    Object.assign(desk, await openDesk());
  });
  afterAll(() => desk.stop());
  return desk;
}

async function openDesk(): Promise<Desk> {
  const database = await openTestDatabase();
  const { db, url, adminUrl } = database;
  const operator = openDatabase(urlAs(url, 'operator'), { maxConnections: 2 });
  const server = openRequestsServer(db, url);
  for (const blockchain of [HOME, OTHER]) await giveTreasury(url, '1000', blockchain);
  await db.query(
    'SELECT ledger_set_home_asset(asset_id) FROM assets JOIN networks USING (network_id) WHERE blockchain = $1',
    [HOME],
  );
  const ada = await createPerson(db, ADA, '100');
  const bob = await createPerson(db, BOB);
  await addWallets(url, ada);
  const pay = async (from: Person, to: Person, amount: string) => {
    const request = { senderId: from.userId, receiver: to.username, amount: parseUsdc(amount) };
    const { result } = await sendToUser(server, request);
    if (!('payment' in result)) throw new Error(result.refusal.code);
  };
  await pay(ada, bob, '12.5');
  await pay(bob, ada, '2');
  const key = await makeKey(url, 'robot');
  const { check, confirm, run } = drivePayouts(database, () => key);
  const payout = await check(`salary-1,${ADA},3,\nrent 7,${OUTSIDE},4,${OTHER}\nnever,${BOB},5000,\n`);
  await confirm(payout);
  await run(payout);
  const request = await ask(db, ada, { payer: BOB, amount: '9' });
  const rules = { accessTokenSeconds: 900, refreshTokenSeconds: 900, sessionSeconds: 900 };
  const { sessionId: session } = await db.tx((tx) => openSession(tx, rules, ada.userId, null));
  const refused = randomUUID();
  await asAdmin(
    adminUrl,
    `INSERT INTO refusals (payment_id, receiver, amount, code, details, created_at)
     VALUES ($1, $2, 1, 'balance.insufficient', '{}', now())`,
    [refused, BOB],
  );
  await spreadOverDays(adminUrl);
  const rows = await db.query<{ transfer_id: string }>('SELECT transfer_id FROM transfers ORDER BY seq');
  const ids = Object.fromEntries(rows.map((row, i) => [PAYMENTS[i]!, row.transfer_id]));
  await addDeposits(url, ids.deposit!);
  const florin = (...args: string[]) => operate(operator, ...args);
  return {
    db,
    adminUrl,
    operator,
    ada,
    ids: { ...(ids as Record<(typeof PAYMENTS)[number], string>), payout, request, session, refused },
    florin,
    asJson: async (...args) => JSON.parse(await florin(...args, '--json')),
    async dayOf(id) {
      const [row] = await db.query<{ at: Date }>('SELECT created_at AS at FROM transfers WHERE transfer_id = $1', [id]);
      return row!.at.toISOString().slice(0, 10);
    },
    async stop() {
      await Promise.all([server.close(), operator.close()]);
      await database.remove();
    },
  };
}

async function addWallets(url: string, ada: Person): Promise<void> {
  const sql =
    'INSERT INTO wallets (wallet_id, user_id, kind, provider, reference, address) VALUES ($1, $2, $3, $4, $5, $6)';
  await asAdmin(url, sql, [randomUUID(), null, 'treasury', 'local', 't', `0x${'7e'.repeat(20)}`]);
  await asAdmin(url, sql, [ADAS_WALLET.id, ada.userId, 'user', 'local', 'ada', ADAS_WALLET.address]);
}

/** What the chain has reported of a credited deposit, and of one that is not final. */
async function addDeposits(url: string, credited: string): Promise<void> {
  const coins = `SELECT asset_id, $1, $2::uuid, $3, 100000000, 7, $4 FROM assets JOIN networks USING (network_id)
    WHERE blockchain = '${HOME}'`;
  await asAdmin(
    url,
    `INSERT INTO deposits (asset_id, tx_hash, wallet_id, from_address, amount, block_number, block_hash, transfer_id, ordinal)
     SELECT d.*, $5::uuid, 0 FROM (${coins}) d`,
    [HASH, ADAS_WALLET.id, SENDER, `0x${'b'.repeat(64)}`, credited],
  );
  await asAdmin(
    url,
    `INSERT INTO pending_deposits (asset_id, tx_hash, wallet_id, from_address, amount, block_number, block_hash, log_index)
     SELECT d.*, 0 FROM (${coins}) d`,
    [PENDING_HASH, ADAS_WALLET.id, SENDER, `0x${'c'.repeat(64)}`],
  );
}

/** One payment a day, the newest today: lists search the ledger by time. */
const spreadOverDays = (adminUrl: string) =>
  asAdmin(
    adminUrl,
    `SET session_replication_role = replica;
     UPDATE transfers t SET created_at = date_trunc('day', now()) + interval '12 hours' - n.nth * interval '1 day'
       FROM (SELECT transfer_id, row_number() OVER (ORDER BY seq DESC) - 1 AS nth FROM transfers) n
      WHERE n.transfer_id = t.transfer_id`,
  );
