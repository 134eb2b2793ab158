/**
 * Florin behind PgBouncer in transaction mode, with the configuration of `deploy/ha/`: every statement may run on
 * another database connection. Needs PgBouncer 1.21 or newer, because older versions do not keep prepared statements
 * apart. Skipped without it; `FLORIN_PGBOUNCER` names a binary other than the installed one.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { SEPOLIA_ID, startTestChain, type TestChain } from '../support/chain/chain.ts';
import { randomAddress } from '../support/chain/custody.ts';
import { findPgbouncer, type Pooler, startPooler } from '../support/database/startPooler.ts';
import { eventually } from '../support/eventually.ts';
import { type Production, startProduction } from '../support/production.ts';
import { judgeEndOf } from '../support/properties/judgeEnd.ts';

const NAMES = ['pool_anna', 'pool_bert', 'pool_cora', 'pool_dirk'];
const ROUNDS = 25;

const pgbouncer = findPgbouncer();
const why = typeof pgbouncer === 'string' ? pgbouncer : undefined;

describe.skipIf(why !== undefined)(`behind PgBouncer${why ? ` (${why})` : ''}`, () => {
  let chain: TestChain;
  let pooler: Promise<Pooler> | undefined;
  let florin: Production;
  let db: Db;
  const people: { readonly name: string; readonly userId: string; readonly headers: Record<string, string> }[] = [];

  beforeAll(async () => {
    chain = await startTestChain(SEPOLIA_ID);
    florin = await startProduction(
      { FLORIN_RATE_LIMITS: 'address=1000000, login=1000, user=1000000, key=1000000, kyc=10' },
      {
        chain,
        async reach(url) {
          pooler ??= startPooler(url);
          return (await pooler).through(url);
        },
      },
    );
    db = openDatabase(florin.databaseUrl, { maxConnections: 2 });
    for (const name of NAMES) {
      const idToken = await florin.issuer.sign({ sub: name, email: `${name}@example.com`, email_verified: true });
      const { body } = await florin.call('POST', '/api/v1/login', { id_token: idToken });
      const headers = { authorization: `Bearer ${body.access_token}` };
      const userId = body.user.user_id as string;
      await florin.call('POST', '/api/v1/set_username', { user_id: userId, username: name }, headers);
      people.push({ name, userId, headers });
    }
  });
  afterAll(async () => {
    await db?.close();
    await florin?.stop();
    await (await pooler)?.stop();
    await chain?.stop();
  });

  it('credits deposits', async () => {
    for (const { headers } of people) {
      const address = await eventually(async () => {
        const { body } = await florin.call('GET', '/api/v1/me', undefined, headers);
        expect(body.wallet.address).toMatch(/^0x/);
        return body.wallet.address as string;
      });
      await chain.mint(address, '10');
    }
    await chain.mineUntil(async () => {
      for (const { headers } of people) {
        const { body } = await florin.call('GET', '/api/v1/me/overview', undefined, headers);
        expect(body.balances[0].available).toBe('10');
      }
    });
  });

  it('pays people once, and shows every answered payment', async () => {
    const pay = async (nth: number) => {
      const { name, userId, headers } = people[nth]!;
      const receiver = people[(nth + 1) % people.length]!.name;
      for (let round = 0; round < ROUNDS; round++) {
        const body = { sender_user_id: userId, receiver_username: receiver, amount: 0.01 };
        const keyed = { ...headers, 'idempotency-key': randomUUID() };
        const paid = await florin.call('POST', '/api/v1/send_usdc', body, keyed);
        expect(paid.status).toBe(200);
        const id = paid.body.transaction_id as string;
        const again = await florin.call('POST', '/api/v1/send_usdc', body, keyed);
        expect(again.body.transaction_id).toBe(id);
        const page = await florin.call('GET', `/api/v1/latest_transactions_by_username/${name}`, undefined, headers);
        expect(page.body.transactions).toContainEqual(expect.objectContaining({ transaction_id: id }));
        expect((await florin.call('GET', `/api/v1/limits/${userId}`, undefined, headers)).status).toBe(200);
        expect((await florin.call('GET', '/api/v1/me/overview', undefined, headers)).status).toBe(200);
      }
    };
    await Promise.all(people.map((_, nth) => pay(nth)));
    const [made] = await db.query<{ count: bigint }>(`SELECT count(*) FROM transfers WHERE kind = 'user'`);
    expect(made!.count).toBe(BigInt(people.length * ROUNDS));
  });

  it('sends to an address, and the books balance', async () => {
    const [{ headers }] = people as [(typeof people)[number]];
    const destination = randomAddress();
    const body = { destination_address: destination, amount: 2.5 };
    const keyed = { ...headers, 'idempotency-key': randomUUID() };
    expect((await florin.call('POST', '/api/v1/send_to_address', body, keyed)).status).toBe(200);
    await chain.mineUntil(async () => expect(await chain.balanceOf(destination)).toBe(2_500_000n));
    expect((await checkBooks(db)).faults).toEqual([]);
    expect(await judgeEndOf({ databaseUrl: florin.databaseUrl, mine: chain.mine })).toEqual([]);
  });
});
