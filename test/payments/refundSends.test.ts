/** The treasury refunds payments to addresses; and deposits show their chain transaction. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { printPage } from '../../server/src/http/answers/printPage.ts';
import { openHistory } from '../../server/src/payments/read/openHistory.ts';
import { readPayment } from '../../server/src/payments/read/readPayment.ts';
import { readPayments } from '../../server/src/payments/read/readPayments.ts';
import { approveRefund, proposeRefund, refundPayment } from '../../server/src/payments/refunds/refundPayment.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { urlAs } from '../support/database.ts';
import { nameOperators } from '../support/operators.ts';

let world: CustodyWorld;
let alice: Holder;
let anna: Db;
let rita: Db;
beforeAll(async () => {
  world = await startCustody();
  ({ alice } = await world.fund({ alice: '100', treasury: '1000' }));
  await nameOperators(world.databaseUrl, { anna: 'admin', rita: 'risk' });
  [anna, rita] = (['anna', 'rita'] as const).map((name) =>
    openDatabase(urlAs(world.databaseUrl, name), { maxConnections: 2 }),
  ) as [Db, Db];
});
afterAll(async () => {
  await Promise.all([anna.close(), rita.close()]);
  await world.stop();
});

async function owed(): Promise<[alice: bigint, treasury: bigint]> {
  const rows = await world.db.query<{ kind: string; owed: bigint }>(
    `SELECT kind, available + held AS owed FROM accounts WHERE kind IN ('user', 'treasury')`,
  );
  return ['user', 'treasury'].map((kind) => rows.find((row) => row.kind === kind)!.owed) as [bigint, bigint];
}
const want = (paymentId: string, amount?: bigint) => ({
  paymentId,
  amount: amount as Parameters<typeof refundPayment>[1]['amount'],
  reason: 'a wrong address',
});

it('a COMPLETE send is refunded to its sender by two people, and the coins follow', async () => {
  const destination = randomAddress();
  const id = await world.send({ amount: '30', destination, walletUsername: 'alice' });
  expect(await proposeRefund(anna, want(id))).toMatchObject({ outcome: 'unpaid' });
  await world.settleDown();
  expect(await refundPayment(anna, want(id))).toMatchObject({ outcome: 'sent_away' });
  const { refundId } = await proposeRefund(anna, want(id, 12_500_000n));
  expect(await approveRefund(rita, refundId)).toMatchObject({ outcome: 'refunded', amount: 12_500_000n });
  expect(await owed()).toEqual([82_500_000n, 987_500_000n]);
  const rest = await proposeRefund(anna, want(id));
  expect(rest).toMatchObject({ outcome: 'proposed', amount: 17_500_000n });
  expect(await approveRefund(rita, rest.refundId)).toMatchObject({ outcome: 'refunded' });
  expect(await owed()).toEqual([100_000_000n, 970_000_000n]);

  const original = (await readPayment(world.db, id))!;
  expect(original.state).toBe('COMPLETE');
  expect(original.timeline.map(({ note }) => note).slice(-2)).toEqual([
    `12.5 USDC given back by the service in payment ${refundId}, 12.5 of 30 so far`,
    `17.5 USDC given back by the service in payment ${rest.refundId}, 30 of 30 so far`,
  ]);
  const refund = (await readPayment(world.db, refundId))!;
  expect(refund).toMatchObject({
    state: 'COMPLETE',
    kind: 'user',
    from: { username: null },
    to: { username: 'alice' },
  });
  expect(refund.timeline.at(-1)!.note).toBe(`refund of payment ${id}: a wrong address`);

  expect(await settleWallets(world, world.network, world.usdc)).toMatchObject({ transfers: 1, amount: 30_000_000n });
  await world.settleDown();
  expect([await world.balance(alice.address), await world.balance(destination)]).toEqual([100_000_000n, 30_000_000n]);
  expect(await world.faults()).toEqual([]);
});

it('refuses to refund a send of the treasury itself, or a cancelled one', async () => {
  const own = await world.send({ amount: '1' });
  await world.settleDown();
  expect(await proposeRefund(anna, want(own))).toMatchObject({ outcome: 'own' });
  const failed = await world.send({ amount: '1', walletUsername: 'alice' });
  await world.db.query(`SELECT payment_release($1, gen_random_uuid(), 'FAILED', 'a test', NULL)`, [failed]);
  expect(await proposeRefund(anna, want(failed))).toMatchObject({ outcome: 'unpaid' });
});

it('a deposit shows its chain transaction wherever it is shown', async () => {
  const [log] = await world.listTransfers(alice.coinsAddress);
  const [row] = await world.db.query<{ transfer_id: string }>(`SELECT transfer_id FROM deposits WHERE wallet_id = $1`, [
    alice.walletId,
  ]);
  const id = row!.transfer_id;
  const alone = (await readPayment(world.db, id))!;
  expect([alone.kind, alone.txHash, alone.timeline[0]!.txHash]).toEqual(['deposit', log!.txHash, log!.txHash]);
  const { items } = await readPayments(world.db, { userId: alice.userId!, limit: 50, kind: 'deposit' });
  expect(items.map(({ payment }) => payment.txHash)).toEqual([log!.txHash]);

  const history = openHistory({ databaseUrl: world.databaseUrl, db: world.db });
  // The second page comes from the cache.
  for (let i = 0; i < 2; i++) {
    const page = (await history.read({ name: 'alice', limit: 50 }))!;
    const { transactions } = JSON.parse(String(printPage(page).body));
    const shown = transactions.find((one: { transaction_id: string }) => one.transaction_id === id);
    expect([shown.tx_hash, shown.timeline[0].tx_hash]).toEqual([log!.txHash, log!.txHash]);
    const others = transactions.filter((one: { kind: string }) => one.kind === 'user');
    expect(others.map((one: { tx_hash: string | null }) => one.tx_hash)).toEqual([null, null]);
  }
  await history.close();
});
