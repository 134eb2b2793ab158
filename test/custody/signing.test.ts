/** What the signer refuses, whatever the worker wrote to its tables, and how waiting sends show the reason. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import type { Hex } from '../../server/src/core/ports.ts';
import { readPayment } from '../../server/src/payments/read/readPayment.ts';
import { cancelPayment } from '../../server/src/payments/sends/cancelPayment.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { endBackoffs } from '../support/chain/endBackoffs.ts';
import { asAdmin, openAsAdmin } from '../support/database.ts';
import { stayWithinHour } from '../support/ledger/stayWithinHour.ts';
import { operate } from '../support/operate.ts';

let world: CustodyWorld;
let alice: Holder;
let bob: Holder;
beforeAll(async () => {
  world = await startCustody();
  ({ alice, bob } = await world.fund({ alice: '1000', bob: '1000' }));
  await asAdmin(world.databaseUrl, `INSERT INTO operators (name, role) VALUES ('ada', 'admin') ON CONFLICT DO NOTHING`);
});
afterAll(() => world.stop());
afterEach(() => {
  world.signingLimits = { payment: undefined, day: undefined };
});

/** Does everything but signing. */
const deaf = { signAuthorizations: async () => ({ outcome: 'unknown', cause: new Error('no answer') }) as const };
async function reserve(amount: string, destination: Hex = randomAddress()): Promise<string> {
  const id = await world.send({ amount, destination, walletUsername: 'alice' });
  await world.work({ signer: { ...world.signer, ...deaf } });
  return id;
}
const soon = () => BigInt(Math.floor(Date.now() / 1000)) + 900n;
async function ask(...ids: string[]): Promise<string[]> {
  const answer = await world.signer.signAuthorizations(ids, soon());
  if (answer.outcome !== 'accepted') throw new Error('the signer did not answer');
  return answer.refused.map(({ reason, isForNow }) => `${isForNow ? 'later' : 'never'}: ${reason}`);
}
const countSignatures = async (id: string) =>
  (
    await asAdmin<{ n: number }>(world.databaseUrl, 'SELECT count(*)::int AS n FROM signatures WHERE move_id = $1', [
      id,
    ])
  )[0]!.n;
const notes = async (id: string) =>
  (await readPayment(world.db, id))!.timeline.map(({ note, detail = note }) => detail).join('\n');

/** What an attacker who may write `coin_moves` could put there, with everything else correct. */
const INSERT = `INSERT INTO coin_moves (move_id, asset_id, wallet_id, purpose, settlement_id, to_wallet, rail, from_address,
  to_address, amount, reserved) VALUES ($1, $2, $3, $4, $5, $6, 'eip3009', $7, $8, $9, $10)`;
interface Planted {
  readonly id?: string;
  readonly from?: Holder;
  readonly to: string;
  readonly amount?: bigint;
  readonly settlesTo?: string;
  readonly reserved?: bigint;
}
async function plant({
  id = randomUUID(),
  from = alice,
  to,
  amount = 1_000_000n,
  settlesTo,
  reserved = amount,
}: Planted): Promise<string> {
  let settlement: string | null = null;
  if (settlesTo) {
    settlement = randomUUID();
    await world.db.query('INSERT INTO settlements (settlement_id, asset_id) VALUES ($1, $2)', [
      settlement,
      world.usdc.assetId,
    ]);
  }
  await world.db.query(INSERT, [
    id,
    world.usdc.assetId,
    from.walletId,
    settlesTo ? 'settlement' : 'send',
    settlement,
    settlesTo ?? null,
    from.address,
    to,
    amount,
    reserved,
  ]);
  return id;
}

/** PostgreSQL refuses such a move; the signer must not rely on that. */
async function plantAnotherAmount(id: string, to: Hex): Promise<string> {
  await expect(plant({ id, to, amount: 2_000_000n })).rejects.toMatchObject({ constraint: 'coin_moves_pay_amount' });
  await plant({ id, to });
  const db = openAsAdmin(world.databaseUrl);
  await db.tx(async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query('UPDATE coin_moves SET amount = 2000000 WHERE move_id = $1', [id]);
  });
  await db.close();
  return id;
}
const end = (id: string) =>
  asAdmin(world.databaseUrl, `UPDATE coin_moves SET state = 'dead', reserved = 0 WHERE move_id = $1`, [id]);
const accept = (amount: string, destination: Hex) => world.send({ amount, destination, walletUsername: 'alice' });

describe('the signer signs for a send only what its payment says', () => {
  it('not what is not committed', async () => {
    expect(await ask(randomUUID())).toEqual(['never: nothing is committed under this id']);
  });

  it.each<[string, (id: string, destination: Hex) => Promise<string>, RegExp]>([
    ['another address', (id) => plant({ id, to: randomAddress() }), /never: its payment goes to another address/],
    ['another amount', plantAnotherAmount, /never: no such amount is held for it/],
    ['another wallet', (id, to) => plant({ id, to, from: bob }), /never: its payment is of another wallet/],
  ])('not %s', async (_, planting, refusal) => {
    const destination = randomAddress();
    const id = await accept('1', destination);
    await planting(id, destination);
    expect((await ask(id)).join()).toMatch(refusal);
    expect(await countSignatures(id)).toBe(0);
    // The worker gives it up after some refusals, and the money is released.
    for (let turn = 0; turn < 4; turn++) {
      await world.work();
      await endBackoffs(world);
    }
    expect(await world.get(id)).toMatchObject({
      state: 'FAILED',
      errorDetail: expect.stringMatching(/^the signer refused: /),
    });
    expect(await countSignatures(id)).toBe(0);
  });

  it('not after its end, nor after a cancellation was requested', async () => {
    const id = await reserve('1');
    expect(await ask(id)).toEqual([]);
    expect(await countSignatures(id)).toBe(1);
    await world.db.tx((tx) => cancelPayment(tx, { paymentId: id }));
    expect(await ask(id)).toEqual(['never: it is to be cancelled']);
    await world.settleDown();
    expect(await ask(id)).toEqual(['never: it has ended']);
    expect((await world.get(id)).state).toBe('CANCELLED');
  });

  it('not while signing is paused, and the payment says so', async () => {
    const id = await reserve('1');
    await operate(world.db, 'pause', 'add', 'chain', '--signing', '--why', 'a key may be stolen');
    expect(await ask(id)).toEqual(['later: signing is paused: a key may be stolen']);
    expect(await countSignatures(id)).toBe(0);
    await operate(world.db, 'pause', 'remove', 'chain');
    await world.settleDown();
    expect((await world.get(id)).state).toBe('COMPLETE');
  });

  it('not while it waits for two operators, even if an attacker could reserve its coins', async () => {
    world.sendRules = { approvalThreshold: parseUsdc('1'), newRecipientDelaySeconds: 0 };
    const destination = randomAddress();
    const id = await accept('1', destination);
    world.sendRules = { approvalThreshold: undefined, newRecipientDelaySeconds: 0 };
    await expect(plant({ id, to: destination })).rejects.toThrow(/waits/);
    await asAdmin(world.databaseUrl, 'ALTER TABLE coin_moves DISABLE TRIGGER coin_moves_guard');
    await plant({ id, to: destination });
    await asAdmin(world.databaseUrl, 'ALTER TABLE coin_moves ENABLE TRIGGER coin_moves_guard');
    expect(await ask(id)).toEqual(['later: its payment waits for approval, or for its time']);
    await world.db.tx((tx) => cancelPayment(tx, { paymentId: id }));
  });

  it('not without its coins', async () => {
    const destination = randomAddress();
    const id = await accept('1', destination);
    await plant({ id, to: destination, reserved: 0n });
    expect(await ask(id)).toEqual(['later: its coins are not reserved']);
    await world.settleDown();
    expect((await world.get(id)).state).toBe('COMPLETE');
  });

  it('not for longer than two hours', async () => {
    const id = await reserve('1');
    const answer = await world.signer.signAuthorizations([id], soon() + 7_200n);
    expect(answer).toMatchObject({ refused: [{ id, isForNow: true }] });
    await world.settleDown();
  });

  it('not beyond its own limits, whatever the ledger allows; the rest waits and shows the reason', async () => {
    world.signingLimits = { payment: 5_000_000n, day: undefined };
    const big = await accept('6', randomAddress());
    await world.work();
    expect(await countSignatures(big)).toBe(0);
    expect(await notes(big)).toContain('not signed yet: the signer signs at most 5 USDC in one payment');

    const [{ spent } = { spent: 0n }] = await world.db.query<{ spent: bigint }>(
      'SELECT coalesce(sum(amount), 0)::bigint AS spent FROM signed_hours',
    );
    world.signingLimits = { payment: undefined, day: spent + 3_000_000n };
    const small = [await reserve('2'), await reserve('2')];
    const refused = await ask(...small);
    expect(refused).toEqual([expect.stringMatching(/later: the signer signs at most \S+ USDC in 24 hours/)]);
    const counts = [await countSignatures(small[0]!), await countSignatures(small[1]!)];
    expect(counts.sort()).toEqual([0, 1]);

    world.signingLimits = { payment: undefined, day: undefined };
    await endBackoffs(world);
    await world.settleDown();
    for (const id of [big, ...small]) expect((await world.get(id)).state).toBe('COMPLETE');
    expect(await world.faults()).toEqual([]);
  });

  it('counts every hour that overlaps the last 24', async () => {
    await stayWithinHour();
    await asAdmin(world.databaseUrl, 'DELETE FROM signed_hours');
    const insert = (hours: number, amount: bigint) =>
      asAdmin(
        world.databaseUrl,
        `INSERT INTO signed_hours SELECT $1, date_trunc('hour', clock_timestamp()) - $2 * interval '1 hour', $3`,
        [world.usdc.assetId, hours, amount],
      );
    await insert(24, 9_000_000n);
    await insert(25, 1_000_000_000n);
    world.signingLimits = { payment: undefined, day: 10_000_000n };
    const [fits, exceeds] = [await reserve('1'), await reserve('1')];
    expect(await ask(fits)).toEqual([]);
    expect(await ask(exceeds)).toEqual([expect.stringMatching(/later: the signer signs at most 10 USDC in 24 hours/)]);
    world.signingLimits = { payment: undefined, day: undefined };
    await asAdmin(world.databaseUrl, 'DELETE FROM signed_hours');
    await world.settleDown();
  });

  it('not a move that was paused while it was being signed', async () => {
    const id = await reserve('1');
    const slow = world.openSigner({
      keys: {
        ...world.wallets,
        async signAuthorization(...args) {
          await operate(world.db, 'pause', 'add', 'chain', '--signing', '--why', 'a key may be stolen');
          return world.wallets.signAuthorization(...args);
        },
      },
    });
    expect(await slow.signAuthorizations([id], soon())).toMatchObject({
      refused: [{ id, reason: expect.stringMatching(/signing is paused/), isForNow: true }],
    });
    expect(await countSignatures(id)).toBe(0);
    await operate(world.db, 'pause', 'remove', 'chain');
    await world.settleDown();
    expect((await world.get(id)).state).toBe('COMPLETE');
  });

  it('not beyond the daily limit with 16 concurrent signers', async () => {
    const [{ spent } = { spent: 0n }] = await world.db.query<{ spent: bigint }>(
      'SELECT coalesce(sum(amount), 0)::bigint AS spent FROM signed_hours',
    );
    const ids: string[] = [];
    for (let i = 0; i < 16; i++) ids.push(await accept('1', randomAddress()));
    await world.work({ signer: { ...world.signer, ...deaf } });
    world.signingLimits = { payment: undefined, day: spent + 10_000_000n };
    const refused = await Promise.all(ids.map((id) => ask(id)));
    expect(refused.filter((one) => one.length > 0)).toHaveLength(6);
    world.signingLimits = { payment: undefined, day: undefined };
    await world.settleDown();
  });
});

describe('the signer signs for a settlement only between wallets of its own keys', () => {
  it('not to a wallet that an attacker wrote into the table', async () => {
    const address = `0x${'5'.repeat(40)}`;
    const walletId = randomUUID();
    await asAdmin(
      world.databaseUrl,
      `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address, replaced_at)
       VALUES ($1, 'user', $2, 'local', $3, $4, now())`,
      [walletId, bob.userId, `m/44'/60'/1'/2'/3'/4'`, address],
    );
    const id = await plant({ to: address, settlesTo: walletId });
    expect(await ask(id)).toEqual(['never: it is a settlement to a wallet that is not ours']);
    await end(id);
    const other = await plant({ to: address, settlesTo: bob.walletId });
    expect(await ask(other)).toEqual(['never: it is a settlement to a wallet that is not ours']);
    await end(other);
  });

  it('not from a wallet of a provider whose keys it does not have', async () => {
    const other = { ...bob, walletId: randomUUID(), address: randomAddress() };
    await asAdmin(
      world.databaseUrl,
      `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address)
       VALUES ($1, 'user', $2, 'other', 'r', $3)`,
      [other.walletId, bob.userId, other.address],
    );
    await world.db.query('INSERT INTO holdings (asset_id, wallet_id) VALUES ($1, $2)', [
      world.usdc.assetId,
      other.walletId,
    ]);
    const id = await plant({ from: other, to: alice.address, settlesTo: alice.walletId, reserved: 0n });
    expect(await ask(id)).toEqual(['never: the signer has no keys of this provider']);
    await end(id);
  });
});

describe('the signer signs only relay transactions of signed authorizations', () => {
  const bid = { maxFeeWei: 2_000_000_000n, priorityFeeWei: 1_000_000_000n };
  const sign = async (relayTxId: string, given = bid) => {
    const answer = await world.signer.signRelayTx(relayTxId, given, 1n);
    return answer.outcome === 'rejected' ? answer.reason : answer.outcome;
  };
  let relayTxId: string;
  beforeAll(async () => {
    await accept('1', randomAddress());
    const silent = { signRelayTx: async () => ({ outcome: 'unknown', cause: new Error('no answer') }) as const };
    await world.work({ signer: { ...world.signer, ...silent } });
    [{ carrier_id: relayTxId }] = (await world.db.query(`SELECT carrier_id FROM carriers WHERE state = 'pending'`)) as [
      { carrier_id: string },
    ];
  });

  it.each([
    ['with other bytes', `SET data = data || '\\x00'`, /does not match its calls/],
    ['to another contract', `SET target = '0x5555555555555555555555555555555555555555'`, /does not match its calls/],
    ['for too much gas', 'SET gas_limit = 30000000', /at most 16777216 gas/],
    ['that has ended', `SET state = 'foreign', block_number = 1`, /no such relay transaction/],
  ])('not one %s', async (_, change, refusal) => {
    const keep = 'target, data, gas_limit, state, block_number';
    const [before] = await world.db.query<object>(`SELECT ${keep} FROM carriers WHERE carrier_id = $1`, [relayTxId]);
    await world.db.query(`UPDATE carriers ${change} WHERE carrier_id = $1`, [relayTxId]);
    expect(await sign(relayTxId)).toMatch(refusal);
    await asAdmin(world.databaseUrl, `UPDATE carriers SET (${keep}) = ($2, $3, $4, $5, $6) WHERE carrier_id = $1`, [
      relayTxId,
      ...Object.values(before!),
    ]);
  });

  it('not one without calls that does something, nor one that costs more than its highest fee', async () => {
    expect(await sign(relayTxId, { ...bid, maxFeeWei: 10n ** 15n })).toMatch(
      /bids at most 500 gwei per gas .* asks for 1000000 gwei/,
    );
    expect(await sign(relayTxId, { maxFeeWei: 1n, priorityFeeWei: 2n })).toMatch(/bids at most/);
    await world.db.query('UPDATE carrier_calls SET dropped_in = 2 WHERE carrier_id = $1', [relayTxId]);
    expect(await sign(relayTxId)).toBe('it has no calls but is not empty');
    await asAdmin(world.databaseUrl, 'UPDATE carrier_calls SET dropped_in = NULL WHERE carrier_id = $1', [relayTxId]);
  });

  it('not from a relayer that is a person’s wallet', async () => {
    const [relayer] = await world.db.query<{ reference: string; address: string }>(
      'SELECT reference, address FROM relayers',
    );
    const [wallet] = await world.db.query<{ reference: string; address: string }>(
      'SELECT reference, address FROM wallets WHERE wallet_id = $1',
      [alice.walletId],
    );
    const become = ({ reference, address }: { reference: string; address: string }) =>
      asAdmin(world.databaseUrl, 'UPDATE relayers SET reference = $1, address = $2', [reference, address]);
    await become(wallet!);
    expect(await sign(relayTxId)).toBe('its relayer does not belong to the keys of this signer');
    await become(relayer!);
    expect(await sign(relayTxId)).toBe('accepted');
    await world.settleDown();
    expect(await world.faults()).toEqual([]);
  });
});

describe('a signer that does not answer', () => {
  it('makes sends wait and show the reason; none fails, and they are made when it is back', async () => {
    const ids = [await reserve('1'), await reserve('2')];
    for (let turn = 0; turn < 5; turn++) await world.work({ signer: { ...world.signer, ...deaf } });
    for (const id of ids) {
      expect((await world.get(id)).state).toBe('QUEUED');
      expect(await notes(id)).toContain('not signed yet: the signer does not answer');
    }
    const failures = await world.db.query('SELECT FROM authorizations WHERE failures > 0 AND move_id = ANY ($1)', [
      ids,
    ]);
    expect(failures).toEqual([]);
    await world.settleDown();
    for (const id of ids) {
      expect((await world.get(id)).state).toBe('COMPLETE');
      expect(await notes(id)).not.toContain('not signed yet');
    }
  });
});
