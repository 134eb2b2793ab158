/** Passkeys: what they confirm, that nothing is paid without them, and that PostgreSQL decides it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { noteRestore } from '../../server/src/operators/restores.ts';
import { asAdmin, urlAs } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { operate } from '../support/operate.ts';
import { nameOperators } from '../support/operators.ts';
import { codeOf, type Owner, openOwners } from '../support/people/openOwners.ts';
import { openPasskeys } from '../support/people/passkeys.ts';
import { makePasskey, type SoftPasskey } from '../support/people/softPasskey.ts';
import { ADDRESS, openWays, WAYS, type Way } from '../support/people/waysToPay.ts';
import { howMany } from '../support/run/thorough.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { HOME } from '../support/values.ts';

let florin: TestServer;
let owners: ReturnType<typeof openOwners>;
let db: Db;
let ways: ReturnType<typeof openWays>;
let passkeys: ReturnType<typeof openPasskeys>;
beforeAll(async () => {
  // No worker runs, so nobody calls this node.
  const chains = [{ blockchain: HOME, chain_id: 31_337, rpc_urls: ['http://127.0.0.1:9'] }];
  florin = await startTestServer({ FLORIN_WALLET_PORT: '0', FLORIN_CHAINS: JSON.stringify(chains) });
  db = openDatabase(florin.databaseUrl, { maxConnections: 4 });
  owners = openOwners(florin);
  passkeys = openPasskeys(florin);
  ways = openWays(florin, owners, db);
  await owners.join('shop', '1');
  await owners.join('kiosk', '1');
});
afterAll(async () => {
  await owners?.close();
  await db?.close();
  await florin?.stop();
});

const REQUIRED = [403, 'passkey.required'];
const sql = (text: string) => asAdmin<Record<string, string>>(florin.databaseUrl, text);
const letters = (text: string) => text.replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)]!);
let people = 0;

/** A person who is asked above 100 USDC. */
async function joinGuarded(above = 100, balance = '5000'): Promise<Owner & { readonly passkey: SoftPasskey }> {
  const owner = await owners.join(letters(`guarded${++people}x`), balance);
  const passkey = await passkeys.add(owner);
  expect((await passkeys.setRule(owner, above)).body.ask_above).toBe(String(above));
  return { ...owner, passkey };
}

const paid = async (owner: Owner): Promise<string> =>
  (await sql(`SELECT (sum(available) + sum(held))::text AS left FROM accounts WHERE user_id = '${owner.userId}'`))[0]!
    .left!;

it('nobody looks for a proof of a payment that needs none', async () => {
  const read = `SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE proname IN ('is_proved_payment', 'is_proved_hold')`;
  const originals = (await sql(read)).map(({ text }) => text!);
  expect(originals).toHaveLength(2);
  const refusing = "LANGUAGE plpgsql AS $function$ BEGIN RAISE 'a proof was looked for'; END $function$";
  for (const text of originals) await sql(text.replace(/LANGUAGE sql[\s\S]*$/, () => refusing));
  try {
    for (const owner of [await joinGuarded(), await owners.join(letters(`free${++people}x`), '5000')])
      for (const name of WAYS)
        expect([name, (await ways.find(name).pay(owner, 100, randomUUID())).status]).toEqual([name, 200]);
  } finally {
    for (const text of originals) await sql(text);
  }
});

describe.each(WAYS)('a payment %s', (name) => {
  const pay: Way['pay'] = (...args) => ways.find(name).pay(...args);
  const deed: Way['deed'] = (...args) => ways.find(name).deed(...args);

  it('up to the amount needs no passkey; above it, nothing is paid without one', async () => {
    const owner = await joinGuarded();
    expect((await pay(owner, 100, randomUUID())).status).toBe(200);
    const before = await paid(owner);
    const key = randomUUID();
    const refused = await pay(owner, 100.000001, key);
    expect(codeOf(refused)).toEqual(REQUIRED);
    expect(refused.body).toMatchObject({ above: '100', payment_id: expect.any(String) });
    expect(codeOf(await pay(owner, 100.000001, key))).toEqual(REQUIRED);
    expect(await paid(owner)).toBe(before);
    // The same call again, once it is confirmed; and again, without paying twice.
    expect((await passkeys.prove(owner, owner.passkey, deed(100.000001, refused))).body.success).toBe(true);
    expect((await pay(owner, 100.000001, key)).status).toBe(200);
    const after = await paid(owner);
    expect((await pay(owner, 100.000001, key)).status).toBe(200);
    expect(await paid(owner)).toBe(after);
    // A proof is for this payment only.
    expect(codeOf(await pay(owner, 100.000001, randomUUID()))).toEqual(REQUIRED);
  });

  it('is refused with a proof of anything else', async () => {
    const owner = await joinGuarded();
    const other = await joinGuarded();
    const key = randomUUID();
    const refused = await pay(owner, 150, key);
    const right = deed(150, refused);
    const { receiver_username: to } = right;
    const wrong = [
      { ...right, amount: 151 },
      { ...right, amount: 149 },
      { ...right, payment_id: randomUUID() },
      to ? { ...right, receiver_username: 'kiosk' } : { ...right, destination_address: `0x${'1'.repeat(40)}` },
      to
        ? { ...right, receiver_username: undefined, destination_address: ADDRESS }
        : { ...right, destination_address: undefined, receiver_username: 'shop' },
      { deed: 'create_key' },
      { deed: 'ask_above', ask_above: 150 },
    ];
    for (const one of wrong.slice(0, howMany(4, 7))) {
      expect((await passkeys.prove(owner, owner.passkey, one)).body.success).toBe(true);
      expect(codeOf(await pay(owner, 150, key))).toEqual(REQUIRED);
    }
    // Somebody else's proof of the same words.
    expect((await passkeys.prove(other, other.passkey, right)).body.success).toBe(true);
    expect(codeOf(await pay(owner, 150, key))).toEqual(REQUIRED);
    // An expired proof, and one of a session that has ended.
    await passkeys.prove(owner, owner.passkey, right);
    await sql(
      `UPDATE passkey_challenges SET expires_at = now() WHERE user_id = '${owner.userId}' AND proved_at IS NOT NULL`,
    );
    expect(codeOf(await pay(owner, 150, key))).toEqual(REQUIRED);
    await passkeys.prove(owner, owner.passkey, right);
    expect((await pay(owner, 150, key)).status).toBe(200);
  });
});

describe('a payout', () => {
  const rows = [
    { reference: 'a', to: 'shop', amount: '60' },
    { reference: 'b', to: 'kiosk', amount: '70' },
  ];
  const create = async (owner: Owner) =>
    florin.call('POST', '/api/v1/payouts', { rows }, { ...(await ways.byKey(owner)), 'idempotency-key': randomUUID() });

  it('is confirmed once, for its whole total; its rows do not ask again', async () => {
    const owner = await joinGuarded(50);
    const { body } = await create(owner);
    const confirm = async () =>
      florin.call(
        'POST',
        `/api/v1/payouts/${body.payout_id}/confirm`,
        { count: 2, total: '130' },
        await ways.byKey(owner),
      );
    expect(codeOf(await confirm())).toEqual(REQUIRED);
    const deed = { deed: 'payout', payout_id: body.payout_id, amount: 129 };
    await passkeys.prove(owner, owner.passkey, deed);
    expect(codeOf(await confirm())).toEqual(REQUIRED);
    await passkeys.prove(owner, owner.passkey, { ...deed, amount: 130 });
    expect((await confirm()).status).toBe(200);
    // As the worker does.
    await sql(`SELECT pay_payout_people('${body.payout_id}', 0, 10)`);
    const states = await sql(`SELECT state FROM payout_items WHERE payout_id = '${body.payout_id}' ORDER BY nth`);
    expect(states.map(({ state }) => state)).toEqual(['paid', 'paid']);
  });
});

describe('a challenge', () => {
  it('is answered once, in its session, in time', async () => {
    const owner = await joinGuarded();
    const asked = await passkeys.challenge(owner, { deed: 'create_key' });
    const again = owner.passkey.sign(asked.body.options);
    const other = await florin.logIn(`${owner.name}@example.com`);
    const elsewhere = { ...owner, session: { authorization: `Bearer ${other.body.access_token}` } };
    const unknown = [404, 'passkey.challenge_unknown'];
    expect(codeOf(await passkeys.send(elsewhere, asked.body.challenge_id, again))).toEqual(unknown);
    expect((await passkeys.send(owner, asked.body.challenge_id, again)).status).toBe(200);
    expect(codeOf(await passkeys.send(owner, asked.body.challenge_id, again))).toEqual(unknown);
    const late = await passkeys.challenge(owner, { deed: 'create_key' });
    await sql(`UPDATE passkey_challenges SET expires_at = now() WHERE challenge_id = '${late.body.challenge_id}'`);
    const signed = owner.passkey.sign(late.body.options);
    expect(codeOf(await passkeys.send(owner, late.body.challenge_id, signed))).toEqual(unknown);
  });

  it.each([
    ['another page', { origin: 'https://evil.example' }, 'origin'],
    ['another site', { rpId: 'evil.example' }, 'origin'],
    ['another challenge', { challenge: Buffer.alloc(32, 1).toString('base64url') }, 'challenge'],
    ['a device that did not verify the person', { flags: 1 }, 'person'],
    ['a creation', { type: 'webauthn.create' }, 'form'],
    ['an older counter', { counter: 1 }, 'counter'],
  ])('is refused with %s', async (_, changes, reason) => {
    const owner = await joinGuarded();
    await passkeys.prove(owner, owner.passkey, { deed: 'create_key' });
    const asked = await passkeys.challenge(owner, { deed: 'create_key' });
    const signed = owner.passkey.sign(asked.body.options, changes);
    expect(codeOf(await passkeys.send(owner, asked.body.challenge_id, signed))).toEqual([
      403,
      'passkey.refused',
      reason,
    ]);
  });

  it('is refused with the passkey of somebody else', async () => {
    const [owner, other] = [await joinGuarded(), await joinGuarded()];
    expect(codeOf(await passkeys.prove(owner, other.passkey, { deed: 'create_key' }))).toEqual([
      403,
      'passkey.refused',
      'signature',
    ]);
  });
});

describe('the passkeys of an account', () => {
  it('begin with a login of the last five minutes, and grow with a proof', async () => {
    const owner = await owners.join('grow');
    await sql(`UPDATE sessions SET created_at = now() - interval '301 seconds' WHERE user_id = '${owner.userId}'`);
    expect(codeOf(await passkeys.challenge(owner, { deed: 'register' }))).toEqual([403, 'auth.old_login']);
    expect(codeOf(await passkeys.setRule(owner, 5))).toEqual([409, 'passkey.none']);
    await sql(`UPDATE sessions SET created_at = now() WHERE user_id = '${owner.userId}'`);
    const first = await passkeys.add(owner, { algorithm: 'RS256' });
    expect(codeOf(await passkeys.challenge(owner, { deed: 'register' }))).toEqual(REQUIRED);
    expect((await passkeys.prove(owner, first, { deed: 'add' })).status).toBe(200);
    const asked = await passkeys.challenge(owner, { deed: 'register' });
    expect(codeOf(await passkeys.register(owner, asked, first))).toEqual([403, 'passkey.refused', 'known']);
    const second = await passkeys.challenge(owner, { deed: 'register' });
    const added = await passkeys.register(owner, second, makePasskey({ origin: 'http://wallet.localhost' }));
    expect(added.body.passkeys).toHaveLength(2);
    expect(codeOf(await passkeys.challenge(owner, { deed: 'register' }))).toEqual(REQUIRED);
  });

  it('are needed to raise the amount, switch it off, and remove one', async () => {
    const owner = await joinGuarded(100);
    expect((await passkeys.setRule(owner, 50)).body.ask_above).toBe('50');
    expect(codeOf(await passkeys.setRule(owner, 50.000001))).toEqual(REQUIRED);
    expect(codeOf(await passkeys.setRule(owner))).toEqual(REQUIRED);
    await passkeys.prove(owner, owner.passkey, { deed: 'ask_above', ask_above: 60 });
    expect(codeOf(await passkeys.setRule(owner))).toEqual(REQUIRED);
    expect(codeOf(await passkeys.setRule(owner, 61))).toEqual(REQUIRED);
    expect((await passkeys.setRule(owner, 60)).body.ask_above).toBe('60');
    expect((await passkeys.setRule(owner, 50)).status).toBe(200);
    // Used up.
    expect(codeOf(await passkeys.setRule(owner, 60))).toEqual(REQUIRED);
    const id = (await passkeys.list(owner)).body.passkeys[0].passkey_id;
    const remove = () => florin.call('DELETE', `/api/v1/passkeys/${id}`, undefined, owner.session);
    expect(codeOf(await remove())).toEqual(REQUIRED);
    await passkeys.prove(owner, owner.passkey, { deed: 'remove', passkey_id: randomUUID() });
    expect(codeOf(await remove())).toEqual(REQUIRED);
    await passkeys.prove(owner, owner.passkey, { deed: 'remove', passkey_id: id });
    expect((await remove()).body).toMatchObject({ passkeys: [], ask_above: null });
    expect(codeOf(await remove())).toEqual([404, 'passkey.unknown']);
    expect((await owners.pay(owner, owner.session, 4_000)).status).toBe(200);
    await eventually(async () => {
      const { events } = (await florin.call('GET', '/api/v1/events?types=passkey.*', undefined, owner.session)).body;
      expect(events.map(({ type }: { type: string }) => type.slice(8))).toEqual([
        'added',
        ...Array(4).fill('rule_changed'),
        'removed',
      ]);
      expect(events.at(-1).object).toEqual((await passkeys.list(owner)).body);
    });
  });

  it('stand in for a new login when a key is created', async () => {
    const owner = await joinGuarded();
    const wanted = { name: 'Shop', scopes: ['read'] };
    const create = () => florin.call('POST', '/api/v1/keys', wanted, owner.session);
    await sql(`UPDATE sessions SET created_at = now() - interval '301 seconds' WHERE user_id = '${owner.userId}'`);
    expect(codeOf(await create())).toEqual([403, 'auth.old_login']);
    await passkeys.prove(owner, owner.passkey, { deed: 'add' });
    expect(codeOf(await create())).toEqual([403, 'auth.old_login']);
    await passkeys.prove(owner, owner.passkey, { deed: 'create_key' });
    expect((await create()).status).toBe(200);
  });

  it('apply to accounts that are opened later, survive a logout, and go with the account', async () => {
    const owner = await joinGuarded(0, '10');
    await sql(`INSERT INTO accounts (asset_id, kind, user_id)
      SELECT asset_id, 'user', '${owner.userId}' FROM assets WHERE asset_id <> (SELECT home_asset FROM ledger_state)`);
    const rules = await sql(
      `SELECT DISTINCT passkey_above::text AS above FROM accounts WHERE user_id = '${owner.userId}'`,
    );
    expect(rules).toEqual([{ above: '0' }]);
    await florin.call('DELETE', '/api/v1/sessions', undefined, owner.session);
    const { body } = await florin.logIn(`${owner.name}@example.com`);
    const back = { ...owner, session: { authorization: `Bearer ${body.access_token}` } };
    expect(codeOf(await owners.pay(back, back.session, 0.000001))).toEqual(REQUIRED);
    expect((await passkeys.prove(back, owner.passkey, { deed: 'ask_above' })).body).toMatchObject({ success: true });
    expect((await passkeys.setRule(back)).body.ask_above).toBeNull();
    expect((await owners.pay(back, back.session, 10)).body).toMatchObject({ success: true });
    expect((await florin.call('POST', '/api/v1/me/close', undefined, back.session)).status).toBe(200);
    const left = await sql(`SELECT (SELECT count(*) FROM passkeys WHERE user_id = '${owner.userId}')::text AS n`);
    expect(left).toEqual([{ n: '0' }]);
  });
});

describe('PostgreSQL', () => {
  const asServer = async (text: string): Promise<unknown> => {
    const db = openDatabase(urlAs(florin.databaseUrl, 'server'), { maxConnections: 1 });
    try {
      return await db.query(text);
    } catch (error) {
      return (error as { cause?: { code: string }; code: string }).cause?.code ?? (error as { code: string }).code;
    } finally {
      await db.close();
    }
  };

  it.each([
    'UPDATE users SET passkey_above = NULL',
    'UPDATE accounts SET passkey_above = NULL',
    'UPDATE passkey_challenges SET proved_at = now()',
    `INSERT INTO passkey_challenges SELECT gen_random_uuid(), sha256(''), user_id, gen_random_uuid(), '{}', now(), now(), now() FROM users`,
    `UPDATE passkeys SET public_key = ''`,
    'DELETE FROM passkeys',
    `SELECT write_passkey_rule(user_id, NULL) FROM users`,
    `SELECT forget_passkeys(user_id) FROM users`,
    `SELECT finish_passkey_removal(user_id) FROM users`,
    `SELECT use_proof(user_id, '{}') FROM users`,
  ])('refuses the login of a server: %s', async (text) => {
    expect(await asServer(text)).toBe('42501');
  });

  it('refuses a signature that a taken-over server makes up', async () => {
    const owner = await joinGuarded();
    const asked = await passkeys.challenge(owner, { deed: 'create_key' });
    const { response } = makePasskey({ origin: 'http://wallet.localhost' }).sign(asked.body.options);
    const hex = (text: string) => `'\\x${Buffer.from(text, 'base64url').toString('hex')}'`;
    const rows = await asServer(`SELECT prove_with_passkey(user_id, session_id, challenge_id,
        '\\x${owner.passkey.id.toString('hex')}', ${hex(response.clientDataJSON)}, ${hex(response.authenticatorData)},
        ${hex(response.signature)})->'details'->>'reason' AS said
      FROM passkey_challenges WHERE challenge_id = '${asked.body.challenge_id}'`);
    expect(rows).toEqual([{ said: 'signature' }]);
  });

  it('forgets proofs with a restore of the database, and keeps the rule', async () => {
    const owner = await joinGuarded();
    const key = randomUUID();
    const { body } = await owners.pay(owner, owner.session, 500, { 'idempotency-key': key });
    await passkeys.prove(owner, owner.passkey, {
      deed: 'payment',
      payment_id: body.payment_id,
      receiver_username: 'shop',
      amount: 500,
    });
    const proved = () =>
      sql(`SELECT is_proved('${owner.userId}', deed)::text AS is FROM passkey_challenges
      WHERE user_id = '${owner.userId}' AND proved_at IS NOT NULL`);
    expect(await proved()).toEqual([{ is: 'true' }]);
    const operator = openDatabase(urlAs(florin.databaseUrl, 'operator'), { maxConnections: 1 });
    await operator.tx((tx) => noteRestore(tx, 'a test', 'operator:anna')).finally(() => operator.close());
    expect(await proved()).toEqual([{ is: 'false' }]);
    await owners.asOperator('restore', 'confirm', 'keys');
    await owners.asOperator('restore', 'confirm', 'sessions');
    expect(codeOf(await owners.pay(owner, owner.session, 501))).toEqual(REQUIRED);
  });
});

describe('lost passkeys', () => {
  const as = (login: string, ...more: string[]) => {
    const db = openDatabase(urlAs(florin.databaseUrl, login as 'anna'), { maxConnections: 2 });
    return operate(db, 'user', 'reset-passkeys', ...more, '--why', 'a new phone').finally(() => db.close());
  };

  it('are removed by two operators, after a day in which the person can object', async () => {
    const owner = await joinGuarded();
    await nameOperators(florin.databaseUrl, { anna: 'admin', rita: 'risk', sven: 'support' });
    await expect(as('sven', owner.name)).rejects.toThrow('support');
    expect(await as('anna', owner.name)).toContain('Begun');
    await expect(as('rita', owner.name)).rejects.toThrow('they can object until');
    expect((await passkeys.list(owner)).body.removal_due_at).not.toBeNull();
    const kept = await florin.call('POST', '/api/v1/passkeys/keep', undefined, owner.session);
    expect(kept.body.removal_due_at).toBeNull();
    await as('anna', owner.name);
    const finish = `SELECT finish_passkey_removal('${owner.userId}') AS said`;
    const rita = openDatabase(urlAs(florin.databaseUrl, 'rita'), { maxConnections: 1 });
    expect(await rita.query(finish).finally(() => rita.close())).toEqual([{ said: 'waits' }]);
    await sql(`UPDATE passkey_removals SET begun_at = begun_at - interval '1 day', due_at = due_at - interval '1 day'`);
    await sql(`UPDATE operators SET added_at = added_at - interval '2 days'`);
    await expect(as('anna', owner.name)).rejects.toThrow();
    expect(codeOf(await owners.pay(owner, owner.session, 500))).toEqual(REQUIRED);
    expect(await as('rita', owner.name)).toContain('Removed');
    expect(codeOf(await passkeys.list(owner)).slice(0, 2)).toEqual([401, 'auth.invalid']);
    const { body } = await florin.logIn(`${owner.name}@example.com`);
    const back = { ...owner, session: { authorization: `Bearer ${body.access_token}` } };
    expect((await passkeys.list(back)).body).toMatchObject({ passkeys: [], ask_above: null });
    expect((await owners.pay(back, back.session, 500)).status).toBe(200);
  });
});
