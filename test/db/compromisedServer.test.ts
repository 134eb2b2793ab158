/**
 * An attacker has taken over a server: they have its database login and its token for the signer, and nothing else.
 * They can do what a server does; the table lists it.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { remoteSigner } from '../../server/src/adapters/signer/remoteSigner.ts';
import { parseUsdc } from '../../server/src/core/money.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { serveSigner } from '../../server/src/http/signer/serveSigner.ts';
import { openAsset, setHomeAsset } from '../../server/src/ledger/accounts.ts';
import { keepSendRules } from '../../server/src/payments/sends/keepSendRules.ts';
import { type CustodyWorld, type Holder, randomAddress, startCustody } from '../support/chain/custody.ts';
import { asAdmin, urlAs } from '../support/database.ts';
import { HOME, SIGNER_TOKENS } from '../support/values.ts';

let world: CustodyWorld;
let alice: Holder;
let server: Db;
let payment: string;
const folder = mkdtempSync(join(tmpdir(), 'florin-taken-'));
const socket = join(folder, 'signer.sock');
const thief = randomAddress();
let port: ReturnType<typeof serveSigner>;

beforeAll(async () => {
  world = await startCustody();
  ({ alice } = await world.fund({ alice: '1000', treasury: '1000' }));
  await asAdmin(world.databaseUrl, `INSERT INTO operators (name, role) VALUES ('ada', 'admin')`);
  payment = await world.send({ amount: '1', walletUsername: 'alice' });
  await world.settleDown();
  server = openDatabase(urlAs(world.databaseUrl, 'server'), { maxConnections: 2 });
  port = serveSigner({
    signer: world.signer,
    tokens: (['server', 'worker'] as const).map((caller) => ({ caller, token: SIGNER_TOKENS[caller] })),
    onFault: () => {},
  });
  await new Promise<void>((done) => port.listen(socket, done));
});
afterAll(async () => {
  port.closeAllConnections();
  await new Promise((done) => port.close(done));
  await server.close();
  await world.stop();
  rmSync(folder, { recursive: true });
});

type Deed = [what: string, sql: string, ...values: unknown[]];
const anyId = '00000000-0000-4000-8000-00000000000a';

/** PostgreSQL refuses each of these, because a privilege is missing or by a trigger. */
const FORBIDDEN: Deed[] = [
  ['move money by hand', 'UPDATE accounts SET available = available + 1'],
  ['write a transfer', `INSERT INTO transfers (transfer_id) VALUES ('${anyId}')`],
  ['change a transfer', 'UPDATE transfers SET amount = 1'],
  ['delete a transfer', 'DELETE FROM transfers'],
  ['change the destination of a payment', `UPDATE payments SET destination = '${'0x'.padEnd(42, '5')}'`],
  ['end the wait of a payment', 'UPDATE payments SET approvals_needed = 0, not_before = NULL'],
  ['write a payment', `INSERT INTO payments (payment_id) VALUES ('${anyId}')`],
  ['delete the feed', 'DELETE FROM payment_events'],
  ['approve', `INSERT INTO approvals (payment_id, operator) VALUES ('${anyId}', 'ada')`],
  ['become an operator', `INSERT INTO operators (name, role) VALUES ('thief', 'admin')`],
  ['change a limit', 'UPDATE tiers SET payment_limit = NULL'],
  ['change a person’s tier', 'UPDATE accounts SET tier = 0'],
  ['reset spending', 'DELETE FROM spendings'],
  ['delete a pause', 'DELETE FROM pauses'],
  ['change the audit log', `UPDATE audit_log SET actor = 'user:x'`],
  ['empty the audit log', 'DELETE FROM audit_log'],
  ['create a service key', `INSERT INTO service_keys (key_id) VALUES ('${anyId}')`],
  ['widen a service key', `UPDATE service_keys SET scopes = '{send}'`],
  ['read signatures', 'SELECT signature FROM signatures'],
  ['read signed bytes', 'SELECT raw FROM carrier_attempts'],
  ['create a coin move', `INSERT INTO coin_moves (move_id) VALUES ('${anyId}')`],
  ['redirect a move', `UPDATE coin_moves SET to_address = '${'0x'.padEnd(42, '5')}'`],
  ['count coins', 'UPDATE holdings SET coins = coins + 1'],
  ['plant a signature', `INSERT INTO signatures VALUES ('${anyId}', 1, '')`],
  ['plant a cancellation', `INSERT INTO cancellations VALUES ('${anyId}', '')`],
  ['plant a relay transaction', `INSERT INTO carriers (carrier_id) VALUES ('${anyId}')`],
  ['plant bytes', `INSERT INTO carrier_attempts (hash) VALUES ('x')`],
  ['become a relayer', `UPDATE relayers SET address = '${'0x'.padEnd(42, '5')}'`],
  ['give a person a wallet', `INSERT INTO wallets (wallet_id) VALUES ('${anyId}')`],
  ['change a wallet', `UPDATE wallets SET address = '${'0x'.padEnd(42, '5')}'`],
  ['bind the database to another seed', `INSERT INTO wallet_seeds (fingerprint) VALUES ('x')`],
  ['write a refund', `INSERT INTO refunds (refund_id) VALUES ('${anyId}')`],
  ['delete a refund', 'DELETE FROM refund_totals'],
  ['weaken the delays of sends', 'UPDATE send_rules SET approval_threshold = NULL'],
  ['take a role', 'SET ROLE florin_template_owner'],
  ['create a function', 'CREATE FUNCTION public.evil() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$'],
  ['drop a trigger', 'ALTER TABLE transfers DISABLE TRIGGER ALL'],
];

/** The effects of functions that the server may not call. */
const FORBIDDEN_FUNCTIONS: Readonly<Record<string, string>> = {
  ledger_move: 'book a deposit',
  ledger_deposit: 'credit a deposit',
  payments_advance: 'change the state of a payment',
  accept_send: 'accept sends as the previous release did',
  approve_payment: 'approve through the function',
  give_approval: 'approve as operators do',
  keep_send_rules: 'weaken the delays of sends through the function',
  create_key: 'create a service key through the function',
  change_key: 'widen a service key through the function',
  set_operator: 'become an operator through the function',
  remove_operator: 'remove an operator',
  ledger_set_tier: 'change a limit through the function',
  ledger_give_tier: 'change a tier through the function',
  resume_payments: 'end a pause',
  propose_correction: 'propose a correction',
  record_signatures: 'plant a signature through the function',
  commit_signatures: 'plant a signature as the signer does',
  choose_wallets: 'choose who holds the keys of wallets',
  confirm_restore: 'confirm a restore',
  refund_payment: 'refund a payment',
  propose_refund: 'propose a refund by the treasury',
  approve_refund: 'approve that',
  deny_refund: 'deny that',
  ledger_refund: 'move the money of a refund',
  end_sessions: 'end a person’s sessions',
};

it('cannot move money, change history, limits, operators or approvals, or plant anything to be signed or relayed', async () => {
  const table: string[] = [];
  const done: string[] = [];
  for (const [what, sql, ...values] of FORBIDDEN) {
    const error = await server.query(sql, values).then(
      () => undefined,
      (refusal: Error & { code?: string }) => refusal,
    );
    table.push(`cannot   ${what.padEnd(40)} ${error?.message.slice(0, 70) ?? 'DONE'}`);
    // 42501: no privilege; 42883 would only mean that this test is out of date.
    if (error?.code !== '42501') done.push(`${what}: ${error?.message ?? 'done'}`);
  }
  const functions = await server.query<{ name: string; may: boolean }>(
    `SELECT proname AS name, bool_or(has_function_privilege(oid, 'EXECUTE')) AS may FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace AND proname = ANY ($1) GROUP BY proname ORDER BY proname`,
    [Object.keys(FORBIDDEN_FUNCTIONS)],
  );
  for (const { name, may } of functions) {
    table.push(`${may ? 'CAN   ' : 'cannot'}   ${FORBIDDEN_FUNCTIONS[name]!.padEnd(40)} ${name}`);
    if (may) done.push(name);
  }
  console.log(table.join('\n'));
  expect(done).toEqual([]);
  expect(functions.map(({ name }) => name)).toEqual(Object.keys(FORBIDDEN_FUNCTIONS).sort());
});

it('gets no signature with its own token, and only wallets of existing people', async () => {
  const taken = remoteSigner({ urls: [`unix:${socket}`], token: SIGNER_TOKENS.server });
  const soon = BigInt(Math.floor(Date.now() / 1000)) + 900n;
  const id = await world.send({ amount: '1', walletUsername: 'alice' });
  await world.work({
    signer: { ...world.signer, signAuthorizations: async () => ({ outcome: 'unknown', cause: '' }) },
  });
  const asked = {
    'sign a move': await taken.signAuthorizations([id], soon),
    'sign a cancellation': await taken.signCancellations([payment]),
    'sign a relay transaction': await taken.signRelayTx(randomUUID(), { maxFeeWei: 1n, priorityFeeWei: 1n }, 1n),
    'create a relayer': await taken.findRelayer(0),
  };
  for (const [what, answer] of Object.entries(asked)) {
    expect([what, answer.outcome, String((answer as { cause?: unknown }).cause)]).toEqual([
      what,
      'unknown',
      expect.stringMatching(/the signer answered 403/),
    ]);
  }
  expect(await taken.makeWallet(randomUUID())).toMatchObject({ outcome: 'rejected' });
  expect(await taken.makeWallet(alice.userId!)).toMatchObject({ outcome: 'accepted', address: alice.address });
  const guessing = remoteSigner({ urls: [`unix:${socket}`], token: 'x'.repeat(32) });
  expect(await guessing.makeWallet(alice.userId!)).toMatchObject({ outcome: 'unknown' });
  taken.close();
  guessing.close();
  await world.settleDown();
});

/** What a server may call, with arguments that no server of ours would use. */
interface SendRow {
  readonly outcome: string;
  readonly details: { readonly code: string; readonly details: object } | null;
  readonly approvals_needed: number;
  readonly not_before: Date | null;
}
async function acceptAsThief(rules: object, more: object): Promise<SendRow> {
  const send = {
    id: randomUUID(),
    asked: true,
    blockchain: HOME,
    currency: 'USDC',
    destination: randomAddress(),
    amount: '1000000',
    shown: 'wallet',
    job: `submit ${HOME}`,
    ...more,
  };
  const [row] = await server.query<SendRow>('SELECT * FROM accept_sends($1, $2)', [
    JSON.stringify({ threshold: null, delay: 0, list_age: 0, ...rules }),
    JSON.stringify([send]),
  ]);
  return row!;
}

it('cannot spend the treasury without a service key that may', async () => {
  await asAdmin(world.databaseUrl, 'UPDATE send_rules SET has_open_treasury = false');
  const [treasury] = await world.db.query<{ id: string }>(
    `SELECT wallet_id AS id FROM wallets WHERE kind = 'treasury'`,
  );
  for (const named of [{}, { wallet: treasury!.id }]) {
    expect(await acceptAsThief({}, named)).toMatchObject({
      outcome: 'refused',
      details: { code: 'key.not_allowed', details: { what: 'treasury' } },
    });
  }
  expect((await acceptAsThief({}, { username: 'alice', amount: '1' })).outcome).toBe('accepted');
});

it('cannot switch off the delays of large sends and first sends', async () => {
  await keepSendRules(world.db, { approvalThreshold: parseUsdc('10'), newRecipientDelaySeconds: 3600 }, false);
  const large = await acceptAsThief({}, { username: 'alice', amount: '10000000' });
  expect(large).toMatchObject({ outcome: 'accepted', approvals_needed: 2, not_before: expect.any(Date) });
  const stricter = await acceptAsThief({ threshold: '1', delay: 1 }, { username: 'alice', amount: '1' });
  expect(stricter).toMatchObject({ approvals_needed: 2 });
  await keepSendRules(world.db, world.sendRules, false);
  expect(await acceptAsThief({}, { username: 'alice', amount: '1' })).toMatchObject({
    approvals_needed: 0,
    not_before: null,
  });
});

it('cannot reset people’s spending', async () => {
  const other = await openAsset(server, 'BASE-SEPOLIA', 'USDC');
  await setHomeAsset(server, await openAsset(server, HOME, 'USDC'));
  await server.query('SELECT ledger_set_home_asset($1)', [other]);
  const [home] = await world.db.query<{ asset: number }>('SELECT home_asset AS asset FROM ledger_state');
  expect(home!.asset).not.toBe(other);
  await expect(setHomeAsset(server, other)).rejects.toThrow(/pay each other on ETH-SEPOLIA/);
});

it('can accept payments for others, as servers do, only within their limits and balances', async () => {
  const sendAs = async (amount: bigint) => {
    const original = world.db;
    world.db = server;
    try {
      return await world.send({ amount, destination: thief, walletUsername: 'alice' });
    } finally {
      world.db = original;
    }
  };
  await asAdmin(world.databaseUrl, `UPDATE kyc_tiers SET tier = 10`);
  await asAdmin(world.databaseUrl, `UPDATE accounts SET tier = 10 WHERE user_id = '${alice.userId}'`);
  await expect(sendAs(100_000_001n)).rejects.toMatchObject({ code: 'limit.exceeded' });
  await expect(sendAs(9_999_000_000n)).rejects.toMatchObject({ code: expect.stringMatching(/limit|balance/) });
  const id = await sendAs(1_000_000n);
  await world.settleDown();
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect(await world.balance(thief)).toBe(1_000_000n);
  // Servers record the results of identity checks, so this one can give a person the tier of those who passed, and no
  // higher one.
  await asAdmin(world.databaseUrl, `UPDATE kyc_tiers SET tier = 20 WHERE kyc_status = 'approved'`);
  await server.query(`UPDATE users SET kyc_status = 'approved' WHERE user_id = $1`, [alice.userId]);
  const [limits] = await world.db.query<{ tier: number; payment: bigint }>(
    'SELECT tier, payment_limit AS payment FROM accounts JOIN tiers USING (tier) WHERE user_id = $1 LIMIT 1',
    [alice.userId],
  );
  expect(limits!.tier).toBe(20);
  await expect(sendAs(limits!.payment + 1n)).rejects.toMatchObject({ code: expect.stringMatching(/limit|balance/) });
  const [may] = await server.query<{ logins: boolean; cancels: boolean }>(
    `SELECT has_table_privilege('sessions', 'INSERT') AND has_table_privilege('session_tokens', 'INSERT') AS logins,
            bool_and(has_function_privilege(oid, 'EXECUTE')) AS cancels FROM pg_proc WHERE proname = 'payment_release'`,
  );
  const table = [
    ["pay anyone's money to any address", 'within their limits, balances, approvals and delays', true],
    ['raise a tier by an identity check', 'up to the tier of people who passed one', limits!.tier === 20],
    ['log in as anyone', 'sessions are its own tables', may!.logins],
    ['cancel a payment that was not started', 'the money goes back to its sender', may!.cancels],
  ] as const;
  console.log(
    table.map(([what, bound, can]) => `${can ? 'can   ' : 'cannot'}   ${what.padEnd(40)} ${bound}`).join('\n'),
  );
  // A change that takes one of these away also changes this table and docs/decisions/0023-a-signer-of-its-own.md.
  expect(table.filter(([, , can]) => !can)).toEqual([]);
  expect(await world.faults()).toEqual([]);
});
