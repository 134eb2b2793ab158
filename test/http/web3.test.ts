/** `POST /wallet/send-usdc` over HTTP, with a worker beside it, on a chain that mines by itself. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readOn } from '../../server/src/db/standbys/openReads.ts';
import { getTransactionOperation } from '../../server/src/http/web3/getTransaction.ts';
import { sendUsdcOperation } from '../../server/src/http/web3/sendUsdc.ts';
import { openDestinations } from '../../server/src/payments/destinations/openDestinations.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { eventually } from '../support/eventually.ts';
import { readAnswer } from '../support/http/answer.ts';
import { fetchChecked } from '../support/http/fetchChecked.ts';
import { openTestWaits, type TestWaits } from '../support/http/openTestWaits.ts';
import { type ServedOperations, serveOperations } from '../support/http/serveOperations.ts';

let world: CustodyWorld;
let alice: Holder;
let treasury: Holder;
let api: ServedOperations;
let working = true;
let waits: TestWaits;
let worker: Promise<void>;

beforeAll(async () => {
  world = await startCustody();
  ({ alice, treasury } = await world.fund({ alice: '100', treasury: '100' }));
  const { db } = world;
  waits = openTestWaits(db);
  const app = {
    db,
    read: readOn(db),
    destinations: openDestinations([world.chain], 'USDC'),
    sends: world.sends,
    ...waits,
  };
  api = await serveOperations('web3', {
    send_specific_amount_usdc_wallet_send_usdc_post: sendUsdcOperation(app),
    get_transaction_circle_transaction__transaction_id__get: getTransactionOperation(app),
  });
  worker = (async () => {
    while (working) {
      await world.work();
      await world.mine();
    }
  })();
});
afterAll(async () => {
  working = false;
  await worker;
  await waits.follower.close();
  await api.close();
  await world.stop();
});

async function send(body: unknown, headers: Record<string, string> = {}) {
  const response = await fetchChecked(`${api.url}/wallet/send-usdc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return readAnswer(response);
}

describe('POST /wallet/send-usdc', () => {
  it('sends from the treasury when no wallet is named, and waits for the end on request', async () => {
    const destination = randomAddress();
    const { status, body, headers } = await send(
      { destination_address: destination, amount: 0.000001 },
      { prefer: 'respond-async, wait=60' },
    );
    expect(status).toBe(200);
    expect(headers.get('preference-applied')).toBe('wait=60');
    expect(body).toMatchObject({
      state: 'COMPLETE',
      kind: 'chain',
      amount: '0.000001',
      blockchain: 'ETH-SEPOLIA',
      from: { wallet_id: treasury.walletId },
      tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      network_fee: expect.stringMatching(/^0\.\d{1,6}$/),
    });
    expect(await world.balance(destination)).toBe(1n);
    const again = await fetchChecked(`${api.url}/circle/transaction/${body.transaction_id}`);
    expect(await again.json()).toEqual(body);
  });

  it('answers immediately otherwise, and shows a username or a wallet, never both', async () => {
    const byName = await send({ destination_address: randomAddress(), amount: 1, wallet_username: 'Alice' });
    expect(byName.body).toMatchObject({ state: 'INITIATED', from: { username: 'alice' }, tx_hash: null });
    expect(byName.body.timeline).toHaveLength(1);
    const byWallet = await send({
      destination_address: randomAddress(),
      amount: 1,
      wallet_username: 'nobody_at_all',
      funding_wallet_id: alice.walletId,
    });
    expect(byWallet.body.from).toEqual({ wallet_id: alice.walletId });
  });

  it('repeats its first answer under the same key, and pays once', async () => {
    const destination_address = randomAddress();
    const headers = { 'idempotency-key': randomUUID() };
    const first = await send({ destination_address, amount: 2 }, headers);
    const replies = await Promise.all([1, 2, 3].map(() => send({ destination_address, amount: 2.0 }, headers)));
    for (const reply of replies) {
      expect(reply.body).toEqual(first.body);
      expect(reply.headers.get('idempotency-replayed')).toBe('true');
    }
    expect((await send({ destination_address, amount: 3 }, headers)).body.code).toBe('idempotency.mismatch');
    const done = await send({ destination_address, amount: 2 }, { ...headers, prefer: 'wait=60' });
    expect(done.body.state).toBe('COMPLETE');
    expect(await world.balance(destination_address)).toBe(2_000_000n);
  });

  it('takes a note beside the given fields', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = { destination_address: randomAddress(), amount: 1, payment_note: 'Invoice 7' };
    const { body: sent, headers: shown } = await send(body, headers);
    expect([sent.payment_note, shown.get('florin-warning')]).toEqual(['Invoice 7', null]);
    const misspelt = await send({ ...body, payment_note: undefined, payment_notes: 'Invoice 7' });
    expect(misspelt.body).not.toHaveProperty('payment_note');
    expect(misspelt.headers.get('florin-warning')).toContain('did you mean "payment_note"?');
    const read = await fetchChecked(`${api.url}/circle/transaction/${sent.transaction_id}`);
    expect(await read.json()).toMatchObject({ payment_note: 'Invoice 7' });
    expect((await send({ ...body, payment_note: 'Invoice 8' }, headers)).body.code).toBe('idempotency.mismatch');
    expect((await send({ ...body, payment_note: 'a\nb' })).status).toBe(422);
    expect((await send({ ...body, payment_note: 'x'.repeat(141) })).status).toBe(422);
  });

  it('stores a business refusal under its key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = { destination_address: randomAddress(), amount: 100_000, wallet_username: 'alice' };
    const refused = await send(body, headers);
    expect([refused.status, refused.body.code]).toEqual([409, 'balance.insufficient']);
    const again = await send(body, headers);
    expect([again.status, again.body.code, again.headers.get('idempotency-replayed')]).toEqual([
      409,
      'balance.insufficient',
      'true',
    ]);
  });

  it.each([
    ['no address', '0x1234', 400, 'address.invalid', 'form'],
    ['an address without 0x', '8ba1f109551bd432803012645ac136ddd64dba72', 400, 'address.invalid', 'form'],
    ['a name', 'alice.eth', 400, 'address.invalid', 'form'],
    ['an empty text', '', 400, 'address.invalid', 'form'],
    ['a wrong checksum', '0x8ba1f109551bD432803012645Ac136ddd64DBa72', 400, 'address.invalid', 'checksum'],
    ['the zero address', `0x${'0'.repeat(40)}`, 400, 'address.invalid', 'zero'],
    ['the token', '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', 400, 'address.invalid', 'token_contract'],
  ])('refuses %s', async (_, destination_address, status, code, reason) => {
    const { status: got, body } = await send({ destination_address, amount: 1 });
    expect([got, body.code, body.reason]).toEqual([status, code, reason]);
  });

  it.each([
    ['an unknown wallet', { funding_wallet_id: randomUUID() }, 404, 'wallet.unknown'],
    ['an invalid wallet id', { funding_wallet_id: "' OR 1=1" }, 404, 'wallet.unknown'],
    ['an unknown username', { wallet_username: 'nobody_here' }, 404, 'username.unknown'],
    ['an invalid username', { wallet_username: '\u0000' }, 404, 'username.unknown'],
    ['another blockchain', { blockchain: 'DOGE' }, 400, 'blockchain.unsupported'],
    ['too many decimals', { amount: 0.0000001 }, 400, 'amount.precision'],
    ['more than the maximum', { amount: 1e300 }, 400, 'amount.too_large'],
  ])('refuses %s', async (_, body, status, code) => {
    const answer = await send({ destination_address: randomAddress(), amount: 1, ...body });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('refuses an address that the token has blacklisted', async () => {
    const destination_address = randomAddress();
    await world.turn('/token', { blacklist: destination_address });
    await world.mine();
    // The token is asked for a second at most.
    await eventually(async () => {
      const { status, body } = await send({ destination_address, amount: 1 });
      expect([status, body.code]).toEqual([403, 'address.blocked']);
    });
  });
});
