/** What a person sees of their own money over the Backend API, and of others: nothing. */
import { randomUUID } from 'node:crypto';
import { getAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listOtherAddresses } from '../../server/src/customers/wallets/listOtherAddresses.ts';
import { openAsset } from '../../server/src/ledger/accounts.ts';
import { pausePayments, resumePayments } from '../../server/src/operators/pauses.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { insertUser } from '../support/database/insertUser.ts';
import { asAdmin } from '../support/database.ts';
import { type OwnView, serveOwnView } from '../support/people/ownView.ts';
import { HOME } from '../support/values.ts';

let world: CustodyWorld;
let api: OwnView;
let alice: Holder;
let bob: Holder;
let carol: Holder;
beforeAll(async () => {
  world = await startCustody();
  ({ alice, bob, carol } = await world.fund({ alice: '1000', bob: '1000', carol: '10', treasury: '1000' }));
  await world.db.query('SELECT ledger_set_home_asset($1)', [world.usdc.assetId]);
  api = await serveOwnView(world);
});
afterAll(async () => {
  await api.close();
  const faults = await world.faults();
  await world.stop();
  expect(faults).toEqual([]);
});

const get = (who: Holder, path: string, headers?: Record<string, string>) =>
  api.call(who.userId!, 'GET', `/api/v1${path}`, undefined, headers);
const send = (who: Holder, body: Record<string, unknown>, headers?: Record<string, string>) =>
  api.call(who.userId!, 'POST', '/api/v1/send_to_address', body, headers);

describe('GET /api/v1/me', () => {
  it('shows the person, their wallet, their identity check and their limits, and answers 304 while nothing changes', async () => {
    const { status, body, headers } = await get(alice, '/me');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      user: { user_id: alice.userId, username: 'alice', kyc_status: 'none' },
      wallet: { wallet_id: alice.walletId, address: alice.address, blockchain: HOME },
      kyc: { user_id: alice.userId, status: 'none', stale: false },
      limits: { user_id: alice.userId, tier: 'unlimited', can_pay: true },
    });
    expect(body.limits.limits.map((one: { limit: string }) => one.limit)).toEqual(['payment', 'day', 'month', 'count']);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    const again = await get(alice, '/me', { 'if-none-match': headers.get('etag')! });
    expect([again.status, again.headers.get('etag')]).toEqual([304, headers.get('etag')]);
    await world.db.query(`UPDATE users SET kyc_status = 'started' WHERE user_id = $1`, [alice.userId]);
    const changed = await get(alice, '/me', { 'if-none-match': headers.get('etag')! });
    expect([changed.status, changed.body.kyc.status]).toEqual([200, 'started']);
  });

  it('shows the other addresses on blockchains that this service is connected to', async () => {
    const [here, left, second] = ['SOL-DEVNET', 'APTOS-TESTNET', 'BASE-SEPOLIA'];
    for (const blockchain of [here, left, second]) await openAsset(world.db, blockchain, 'USDC');
    await asAdmin(world.databaseUrl, `UPDATE networks SET wallet_provider = 'circle_send' WHERE blockchain <> $1`, [
      HOME,
    ]);
    const readAddresses = async (who: Holder) => (await get(who, '/me')).body.other_addresses;
    const gwen = await world.person('gwen');
    expect(await readAddresses(gwen)).toEqual([]);
    const addresses = {
      evm: getAddress(randomAddress()),
      solana: '7Z1vRk9PpUaGm3sYt2HcN5xWqJ8dLbEf4KoVgTiXnSQr',
      aptos: `0x${'ab'.repeat(32)}`,
    };
    for (const [family, address] of Object.entries(addresses))
      await world.db.query(
        `INSERT INTO wallets (wallet_id, kind, user_id, provider, family, reference, address)
         VALUES ($1, 'user', $2, 'circle_send', $3, $3, $4)`,
        [randomUUID(), gwen.userId, family, address],
      );
    expect(await readAddresses(gwen)).toEqual([{ blockchain: here, address: addresses.solana }]);
    expect((await get(gwen, '/me')).body.wallet.address).toBe(gwen.address);
    expect(await readAddresses(alice)).toEqual([]);
    // With another provider, an address that looks the same is another address.
    expect(await listOtherAddresses(world.db, gwen.userId!, [HOME, here, left, second])).toEqual([
      { blockchain: left, address: addresses.aptos },
      { blockchain: second, address: addresses.evm },
      { blockchain: here, address: addresses.solana },
    ]);
  });

  it('shows global pauses, and nothing about other people', async () => {
    const readPauses = async () => (await get(alice, '/me')).body.pauses;
    expect(await readPauses()).toEqual([]);
    const scopes = ['all', 'user', 'chain', `chain:${HOME}`, `user:${bob.userId}`] as const;
    for (const scope of scopes)
      await pausePayments(world.db, { scope, reason: `no ${scope.slice(0, 5)}`, stops: 'accepting' });
    const since = expect.stringMatching(/^20\d\d-.*Z$/);
    expect(await readPauses()).toEqual([
      { payments: 'all', blockchain: null, reason: 'the operator of this service has stopped them for now', since },
      {
        payments: 'addresses',
        blockchain: null,
        reason: 'the operator of this service has stopped them for now',
        since,
      },
      {
        payments: 'addresses',
        blockchain: HOME,
        reason: 'the operator of this service has stopped them for now',
        since,
      },
      { payments: 'people', blockchain: null, reason: 'the operator of this service has stopped them for now', since },
    ]);
    for (const scope of scopes) await resumePayments(world.db, scope, 'operator');
    expect(await readPauses()).toEqual([]);
  });

  it('needs a credential, in the sandbox too: the sandbox has no other way to identify the caller', async () => {
    for (const path of [
      '/me',
      '/me/overview',
      '/me/recipients',
      '/usernames/someone',
      `/transactions/${randomUUID()}`,
    ]) {
      const { status, body } = await api.call(undefined, 'GET', `/api/v1${path}`);
      expect([path, status, body.code]).toEqual([path, 401, 'auth.required']);
    }
  });
});

describe('GET /api/v1/me/overview', () => {
  it('shows the balances of the own wallet in the overview format, with every answered payment', async () => {
    const before = Number((await get(bob, '/me/overview')).body.balances[0].available);
    await api.call(alice.userId!, 'POST', '/api/v1/send_usdc', {
      sender_user_id: alice.userId,
      receiver_username: 'bob',
      amount: 2.5,
    });
    const { status, body, headers } = await get(bob, '/me/overview');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      address: bob.address,
      rates: [],
      balances: [{ blockchain: HOME, token: 'USDC', available: String(before + 2.5), held: '0', pending_in: '0' }],
    });
    expect((await get(bob, '/me/overview', { 'if-none-match': headers.get('etag')! })).status).toBe(304);
  });

  it('shows payments to a person without a wallet yet; only paying an address needs the wallet', async () => {
    const newcomer = { userId: await insertUser(world.db, 'newcomer'), username: 'newcomer' } as Holder;
    await world.payUser(alice, 'newcomer', '7');
    const { status, body } = await get(newcomer, '/me/overview');
    expect([status, body.address]).toEqual([200, null]);
    expect(body.balances).toEqual([
      {
        blockchain: HOME,
        token: 'USDC',
        available: '7',
        held: '0',
        pending_in: '0',
        onchain: null,
        block_number: null,
        as_of: null,
        stale: true,
      },
    ]);
    const wallet = (await get(newcomer, '/me')).body.wallet;
    expect(wallet).toEqual({ wallet_id: null, address: null, blockchain: HOME });
    // Not stored under the key: the same call works once the wallet exists.
    const headers = { 'idempotency-key': randomUUID() };
    const asked = { destination_address: randomAddress(), amount: 1 };
    for (let i = 0; i < 2; i++) {
      const refused = await send(newcomer, asked, headers);
      expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
        409,
        'wallet.pending',
        '1',
      ]);
    }
    const { provider, reference, address } = await world.wallets.create({
      kind: 'user',
      issuer: 'test',
      subject: 'newcomer',
    });
    await world.db.query(
      `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address) VALUES ($1, 'user', $2, $3, $4, $5)`,
      [randomUUID(), newcomer.userId, provider, reference, address],
    );
    const accepted = await send(newcomer, asked, headers);
    expect([accepted.status, accepted.body.from]).toEqual([200, { username: 'newcomer' }]);
    expect((await get(newcomer, '/me/overview')).body).toMatchObject({
      address,
      balances: [{ available: '6', held: '1' }],
    });
    await world.settleDown();
  });
});

describe('POST /api/v1/send_to_address', () => {
  it('pays from the own wallet, once per key, and can be followed to its end', async () => {
    const destination = randomAddress();
    const headers = { 'idempotency-key': randomUUID() };
    const body = { destination_address: destination, amount: 3 };
    const first = await send(bob, body, headers);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      state: 'INITIATED',
      kind: 'chain',
      amount: '3',
      blockchain: HOME,
      from: { username: 'bob' },
      to: { address: getAddress(destination) },
    });
    const again = await send(bob, { ...body, blockchain: HOME }, headers);
    expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', first.body]);
    expect((await send(bob, { ...body, amount: 4 }, headers)).body.code).toBe('idempotency.mismatch');
    // The same key of another person is another key.
    const other = await send(carol, body, headers);
    expect([other.status, other.body.from]).toEqual([200, { username: 'carol' }]);
    expect(other.body.transaction_id).not.toBe(first.body.transaction_id);

    const seen = await get(bob, `/transactions/${first.body.transaction_id}`);
    expect([seen.status, seen.body.state]).toEqual([200, 'INITIATED']);
    await world.settleDown();
    const path = `/transactions/${first.body.transaction_id}`;
    const ended = await get(bob, path, { 'if-none-match': seen.headers.get('etag')! });
    expect([ended.status, ended.body.state]).toEqual([200, 'COMPLETE']);
    expect(ended.body.timeline.length).toBeGreaterThan(3);
    expect((await get(bob, path, { 'if-none-match': ended.headers.get('etag')! })).status).toBe(304);
    expect(await world.balance(destination)).toBe(6_000_000n);
  });

  it('holds the answer until the end on request', async () => {
    let working = true;
    const worker = (async () => {
      while (working) {
        await world.work();
        await world.mine();
      }
    })();
    const waited = await send(bob, { destination_address: randomAddress(), amount: 1 }, { prefer: 'wait=60' });
    working = false;
    await worker;
    expect([waited.body.state, waited.headers.get('preference-applied')]).toEqual(['COMPLETE', 'wait=60']);
    await world.settleDown();
  });

  it('accepts no wallet of another person: a field that names one is not part of the call', async () => {
    const named = { wallet_username: 'alice', funding_wallet_id: alice.walletId, sender_user_id: alice.userId };
    for (const [name, value] of Object.entries(named)) {
      const asked = { destination_address: randomAddress(), amount: 1, [name]: value };
      const { status, body } = await send(carol, asked);
      expect([status, body.detail[0].loc]).toEqual([422, ['body', name]]);
    }
    await world.settleDown();
  });
});

describe('GET /api/v1/transactions/{transaction_id}', () => {
  it('is for payer and receiver; everyone else gets the answer for an unknown transaction', async () => {
    const between = await world.payUser(alice, 'bob', '1');
    const sent = (await send(alice, { destination_address: randomAddress(), amount: 1 })).body.transaction_id;
    const treasury = await world.send({ amount: '1' });
    const [deposit] = await world.db.query<{ id: string }>(
      `SELECT transfer_id AS id FROM transfers t JOIN accounts a ON a.account_id = t.credit_account
        WHERE t.kind = 'deposit' AND a.user_id = $1`,
      [alice.userId],
    );
    const [hold] = await world.db.query<{ id: string }>(
      `SELECT transfer_id AS id FROM transfers t JOIN accounts a ON a.account_id = t.debit_account
        WHERE t.kind = 'post' AND a.user_id = $1`,
      [bob.userId],
    );
    const statusOf = async (who: Holder, id: string) => (await get(who, `/transactions/${id}`)).status;
    expect(await Promise.all([alice, bob, carol].map((who) => statusOf(who, between)))).toEqual([200, 200, 404]);
    expect(await Promise.all([alice, bob, carol].map((who) => statusOf(who, sent)))).toEqual([200, 404, 404]);
    expect(await Promise.all([alice, bob, carol].map((who) => statusOf(who, deposit!.id)))).toEqual([200, 404, 404]);
    expect(await Promise.all([alice, bob, carol].map((who) => statusOf(who, treasury)))).toEqual([404, 404, 404]);
    // A later step of a payment is not a payment, not even for its own payer.
    expect(await statusOf(bob, hold!.id)).toBe(404);
    const { request_id: _, ...unknown } = (await get(carol, `/transactions/${randomUUID()}`)).body;
    const { request_id: __, ...foreign } = (await get(carol, `/transactions/${between}`)).body;
    expect(foreign).toEqual(unknown);
    expect(unknown.code).toBe('transaction.unknown');
    // The receiver sees the payer's name and nothing that leads to their wallet.
    const received = await get(bob, `/transactions/${between}`);
    expect(received.body).toMatchObject({ from: { username: 'alice' }, to: { username: 'bob' }, tx_hash: null });
    expect(JSON.stringify(received.body).toLowerCase()).not.toContain(alice.address.toLowerCase());
    expect((await get(bob, '/transactions/nonsense')).status).toBe(422);
    await world.settleDown();
  });
});

describe('GET /api/v1/me/recipients', () => {
  interface Shown {
    readonly to: { readonly username?: string; readonly address?: string };
    readonly payments: number;
  }
  const list = async (who: Holder, query = '') => (await get(who, `/me/recipients${query}`)).body;
  const namesOf = (shown: readonly Shown[]) => shown.map(({ to }) => to.username ?? to.address);

  it('lists people and addresses by the newest payment, once each, page by page', async () => {
    const dora = await world.person('dora', '100');
    await world.credit();
    expect(await list(dora)).toEqual({ recipients: [], next_cursor: null });
    const destination = getAddress(randomAddress());
    await send(dora, { destination_address: destination, amount: 1 });
    // Only final payments count, from the moment they are final.
    expect((await list(dora)).recipients).toEqual([]);
    await world.payUser(dora, 'bob', '1');
    await world.settleDown();
    await world.payUser(dora, 'carol', '1');
    await world.payUser(dora, 'alice', '1');
    await world.payUser(dora, 'carol', '2');
    const { recipients } = await list(dora);
    expect(namesOf(recipients)).toEqual(['carol', 'alice', destination, 'bob']);
    expect(recipients.map(({ payments }: Shown) => payments)).toEqual([2, 1, 1, 1]);
    expect(recipients[0]).toMatchObject({ blockchain: HOME, last_paid_at: expect.stringMatching(/^20\d\d-.*Z$/) });

    const first = await get(dora, '/me/recipients?limit=3');
    expect(namesOf(first.body.recipients)).toEqual(['carol', 'alice', destination]);
    const link = /^<(.*)>; rel="next"$/.exec(first.headers.get('link')!)![1]!;
    const last = await api.call(dora.userId!, 'GET', link);
    expect([namesOf(last.body.recipients), last.body.next_cursor]).toEqual([['bob'], null]);

    // A new name is shown as it is today, and receiving does not count as paying.
    await world.payUser(bob, 'dora', '1');
    expect(namesOf((await list(dora)).recipients)).toHaveLength(4);
    expect(namesOf((await list(bob)).recipients)).toContain('dora');
  });

  it('refuses a cursor that it did not make, and limits out of range', async () => {
    for (const cursor of [
      'x',
      Buffer.from('payees.').toString('base64url'),
      Buffer.from('payees.-1').toString('base64url'),
    ]) {
      const { status, body } = await get(bob, `/me/recipients?cursor=${cursor}`);
      expect([status, body.code]).toEqual([400, 'cursor.invalid']);
    }
    for (const limit of ['0', '201', 'x']) expect((await get(bob, `/me/recipients?limit=${limit}`)).status).toBe(422);
  });
});

describe('GET /api/v1/usernames/{username}', () => {
  const stateOf = async (who: Holder, name: string) => {
    const { status, body } = await get(who, `/usernames/${name}`);
    return status === 200 ? `${body.username} ${body.state}` : body.code;
  };

  it('reports what taking the name would answer', async () => {
    expect(await stateOf(alice, 'Nobody_Yet')).toBe('nobody_yet free');
    expect(await stateOf(alice, 'bob')).toBe('bob taken');
    // Looks like bob.
    expect(await stateOf(alice, 'b0b')).toBe('b0b taken');
    expect(await stateOf(bob, 'BOB')).toBe('bob own');
    // Looks like their own name: they may take it.
    expect(await stateOf(bob, 'b0b')).toBe('b0b free');
    expect(await stateOf(alice, 'support')).toBe('support taken');
    for (const name of ['ab', 'a'.repeat(31), 'caf%C3%A9', 'a%20b', 'a%27b']) {
      expect([name, await stateOf(alice, name)]).toEqual([name, 'username.invalid']);
    }
    expect((await get(alice, '/usernames/bob')).body).toEqual({ username: 'bob', state: 'taken' });
  });

  it('an old name is taken while it leads to its owner, and free after that', async () => {
    const erin = await world.person('erin_now');
    await world.db.query(
      `INSERT INTO username_skeletons (skeleton, user_id) VALUES (username_skeleton('erin_before'), $1)`,
      [erin.userId],
    );
    await asAdmin(
      world.databaseUrl,
      `INSERT INTO usernames (username, user_id, claimed_at, redirect_until)
       VALUES ('erin_before', $1, now() - interval '1 day', now() + interval '1 day')`,
      [erin.userId],
    );
    expect(await stateOf(alice, 'erin_before')).toBe('erin_before taken');
    expect(await stateOf(erin, 'erin_before')).toBe('erin_before own');
    await asAdmin(world.databaseUrl, `UPDATE usernames SET redirect_until = now() WHERE username = 'erin_before'`);
    expect(await stateOf(alice, 'erin_before')).toBe('erin_before free');
  });
});
