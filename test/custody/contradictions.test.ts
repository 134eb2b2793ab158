/** Tests property (c) itself: each contradiction is reported, and a consistent database passes. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Db } from '../../server/src/db/database.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { type CustodyWorld, startCustody } from '../support/chain/custody.ts';
import { openAsAdmin } from '../support/database.ts';
import { judgeEnd } from '../support/properties/judgeEnd.ts';
import { listContradictions } from '../support/properties/listContradictions.ts';

let world: CustodyWorld;
let admin: Db;
/** Payments: between people, a send that other wallets fund, and a cancelled send. */
const ids = { paid: '', funded: '', cancelled: '' };

beforeAll(async () => {
  world = await startCustody();
  const { bob } = await world.fund({ ada: '5', bob: '50' });
  ids.paid = await world.payUser(bob, 'ada', '20');
  ids.funded = await world.send({ amount: '15', walletUsername: 'ada' });
  // Coins in other wallets are found once the positions follow the ledger.
  for (let i = 0; i < 2; i++) await world.work();
  const [funding] = await world.db.query<{ amount: bigint }>('SELECT amount FROM coin_moves WHERE funds = $1', [
    ids.funded,
  ]);
  expect(funding).toEqual({ amount: 10_000_000n });
  expect(await listContradictions(world.db)).toEqual([]);
  await world.settleDown();
  ids.cancelled = await world.send({ amount: '1', walletUsername: 'bob' });
  await world.db.tx((tx) => cancelPayment(tx, { paymentId: ids.cancelled }));
  expect(await judgeEnd(world)).toEqual([]);
  admin = openAsAdmin(world.databaseUrl);
});
afterAll(async () => {
  await admin?.close();
  await world.stop();
});

class Undo extends Error {}

/** What is found after these statements by a superuser, which are then rolled back. */
async function corrupt(statements: readonly string[]): Promise<string[]> {
  let found: string[] = [];
  const undone = admin.tx(async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    for (const sql of statements) {
      const names = (['paid', 'funded', 'cancelled'] as const).filter((name) => sql.includes(`:${name}`));
      const text = names.reduce((now, name) => now.replaceAll(`:${name}`, `'${ids[name]}'::uuid`), sql);
      await tx.query(text);
    }
    found = (await listContradictions(tx)).map(({ says }) => says);
    throw new Undo();
  });
  await expect(undone).rejects.toBeInstanceOf(Undo);
  return found;
}

const payoutRow = (state: string, paymentId: string) =>
  `INSERT INTO payout_items (payout_id, nth, payment_id, reference, username, user_id, blockchain, amount, state, error)
   VALUES ('${randomUUID()}', 7, ${paymentId}, 'a', 'ada', gen_random_uuid(), 'ETH-SEPOLIA', 1, '${state}',
     ${state === 'failed' ? `'{}'` : 'NULL'})`;
const request = (state: string, id: string) =>
  `INSERT INTO money_requests (request_id, asker_id, payer_id, by_link, amount, state, created_at, expires_at, ended_at)
   VALUES (${id}, gen_random_uuid(), gen_random_uuid(), false, 1, '${state}', now(), now() + interval '1 day',
     ${state === 'open' ? 'NULL' : 'now()'})`;

it.each<[name: string, says: RegExp, statements: string[]]>([
  [
    'a note without a payment',
    /^the note of \S+ belongs to nothing$/,
    [`INSERT INTO payment_notes VALUES (gen_random_uuid(), 'x')`],
  ],
  [
    'a failed payment that was paid',
    /^payment \S+ is FAILED, and its hold was posted$/,
    [`UPDATE payments SET state = 'FAILED' WHERE payment_id = :funded`],
  ],
  [
    'a cancelled payment that is still held',
    /^payment \S+ is CANCELLED, and its hold was not released$/,
    ['DELETE FROM transfers WHERE hold_id = :cancelled'],
  ],
  [
    'a complete payment that was not posted',
    /^payment \S+ is COMPLETE, and its hold was not posted$/,
    [`UPDATE payments SET state = 'COMPLETE' WHERE payment_id = :cancelled`],
  ],
  [
    'a release and a transfer on the chain',
    /^the hold \S+ was released, and the chain has paid it in 0x/,
    [
      'DELETE FROM transfers WHERE hold_id = :funded',
      'UPDATE transfers SET hold_id = :funded WHERE hold_id = :cancelled',
    ],
  ],
  [
    'a release and an import',
    /^the hold \S+ was released, and 0xab is imported as it$/,
    [
      `INSERT INTO unexplained_moves (asset_id, tx_hash, log_index, wallet_id, to_address, amount, block_number, imported_as)
       SELECT asset_id, '0xab', 0, wallet_id, '0xcd', 1, 1, :cancelled FROM coin_moves WHERE move_id = :funded`,
    ],
  ],
  [
    'a move of another amount',
    /^the move \S+ is not what its payment says$/,
    ['UPDATE coin_moves SET amount = amount + 1 WHERE move_id = :funded'],
  ],
  [
    'a move to another address',
    /^the move \S+ is not what its payment says$/,
    [`UPDATE coin_moves SET to_address = '0xab' WHERE move_id = :funded`],
  ],
  ['a failed row that was paid', /^row 7 of payout \S+ is failed, and is paid$/, [payoutRow('failed', ':paid')]],
  [
    'a cancelled row that was paid',
    /^row 7 of payout \S+ is cancelled, and is paid$/,
    [payoutRow('cancelled', ':funded')],
  ],
  ['a paid row without a payment', /^row 7 of payout \S+ is paid by nothing$/, [payoutRow('paid', ':cancelled')]],
  ['a declined request that was paid', /^request \S+ is declined, and is paid$/, [request('declined', ':paid')]],
  [
    'a denied refund that was booked',
    /^refund \S+ is denied, and is booked$/,
    [
      `INSERT INTO refunds (refund_id, payment_id, source, amount, reason, proposed_by, denied_by, denied_at)
       VALUES (:paid, gen_random_uuid(), 'treasury', 1, 'a', 'anna', 'rita', now())`,
    ],
  ],
  [
    'more funding than was needed',
    /^send \S+ of 15000000 has 6000000 and is funded with 10000000$/,
    [
      `UPDATE coin_moves SET state = 'open', reserved = 6000000 WHERE move_id = :funded`,
      `UPDATE coin_moves SET state = 'open' WHERE funds = :funded`,
    ],
  ],
  [
    'more funding than the whole amount',
    /^send \S+ of 15000000 has 0 and is funded with 0$/,
    ['UPDATE coin_moves SET amount = 15000001 WHERE funds = :funded'],
  ],
  [
    'a nonce that is not derived from the id',
    /^the send \S+ is authorized under the nonce [0-9a-f]{64}$/,
    [`UPDATE authorizations SET nonce = sha256('another') WHERE move_id = :funded`],
  ],
  [
    'a send’s nonce on a settlement',
    /^the settlement \S+ is authorized under the nonce [0-9a-f]{64}$/,
    [
      `UPDATE authorizations SET nonce = sha256('a') WHERE move_id = (SELECT move_id FROM coin_moves WHERE funds = :funded)`,
    ],
  ],
  [
    'an invalid change of state',
    /^payment \S+ went from DENIED to /,
    [`UPDATE payment_events SET state = 'DENIED' WHERE payment_id = :funded AND state = 'SENT'`],
  ],
  [
    'a change of a state without its event',
    /^payment \S+ is COMPLETE, its last event is /,
    [`DELETE FROM payment_events WHERE payment_id = :funded AND state = 'COMPLETE'`],
  ],
  [
    'a request without its event',
    /^request \S+ is open, its last event is none$/,
    [request('open', 'gen_random_uuid()')],
  ],
  [
    'a feed without sends',
    /^the feed lacks the event \d+ of /,
    [
      `CREATE OR REPLACE FUNCTION event_sources(p_types text[]) RETURNS text[] LANGUAGE sql IMMUTABLE AS
       $$ SELECT ARRAY['transfers'] $$`,
    ],
  ],
])('reports %s', async (_, says, statements) => {
  expect(await corrupt(statements)).toContainEqual(expect.stringMatching(says));
});
