/** Pausing payments, all or some, and who may do it. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import type { Db } from '../../server/src/db/database.ts';
import { openAsset, openHouseAccount } from '../../server/src/ledger/accounts.ts';
import {
  isSigningPaused,
  liftPause,
  pausePayments,
  pauseSends,
  readGeneralPauses,
} from '../../server/src/operators/pauses.ts';
import { openSends } from '../../server/src/payments/sends/openSends.ts';
import { sendToAddress } from '../../server/src/payments/sends/sendToAddress.ts';
import { hold, postHold } from '../support/ledger/moveMoney.ts';
import { openUserAccount } from '../support/ledger/openUserAccount.ts';
import { operate, planOf } from '../support/operate.ts';
import { asOperator, loginOf, type OperatorName } from '../support/operators.ts';
import { createPerson, type PaymentsServer, type Person, startPayments } from '../support/payments.ts';
import { HOME } from '../support/values.ts';

let florin: PaymentsServer;
let ada: Person;
let bob: Person;
let chain: bigint;
beforeAll(async () => {
  florin = await startPayments();
  await openAsset(florin.db, 'BASE-SEPOLIA', 'USDC');
  ada = await createPerson(florin.db, 'ada', '1000');
  bob = await createPerson(florin.db, 'bob', '1000');
  for (const { userId } of [ada, bob]) await giveWallet(userId);
  chain = await openHouseAccount(florin.db, await openAsset(florin.db, HOME, 'USDC'), 'chain');
});
afterAll(() => florin.stop());

/** Nothing here is relayed, so an address without a known key is enough. */
const giveWallet = (userId: string) =>
  florin.db.query(
    `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address) VALUES ($1, 'user', $2, 'local', $3, $3)`,
    [randomUUID(), userId, `0x${randomBytes(20).toString('hex')}`],
  );

const stop = (scope: string, why = 'a test') => operate(florin.db, 'pause', 'add', scope, '--why', why);
const go = (scope: string) => operate(florin.db, 'pause', 'remove', scope);
const pay = async (from: Person, to: Person, headers = {}) => {
  const body = { sender_user_id: from.userId, receiver_username: to.username, amount: 1 };
  const answer = await florin.send(body, headers);
  return answer.status === 200 ? 'paid' : `${answer.status} ${answer.body.code}: ${answer.body.reason}`;
};
const sendRules = { approvalThreshold: undefined, newRecipientDelaySeconds: 0 };
const place = (from: Person) =>
  sendToAddress(
    { db: florin.db, sends: openSends({ db: florin.db, sendRules }) },
    {
      destination: `0x${randomBytes(20).toString('hex')}`,
      amount: parseUsdc('1'),
      blockchain: HOME,
      currency: 'USDC',
      walletUsername: from.username,
    },
  ).then(
    () => 'accepted',
    (error) => `${error.code}: ${error.details.reason}`,
  );

/** What customers read, whatever the operator has written. */
const STOPPED = 'the operator of this service has stopped them for now';
const STOPPED_ONE = 'the operator of this service has stopped them and can say why';

describe('a pause', () => {
  it.each([
    ['all', `503 service.paused: ${STOPPED}`, `service.paused: ${STOPPED}`],
    ['user', `503 service.paused: ${STOPPED}`, 'accepted'],
    ['chain', 'paid', `service.paused: ${STOPPED}`],
    ['chain:ETH-SEPOLIA', 'paid', `service.paused: ${STOPPED}`],
    ['chain:BASE-SEPOLIA', 'paid', 'accepted'],
  ])('of %s stops its scope, until it is over', async (scope, payment, send) => {
    await stop(scope);
    expect([await pay(ada, bob), await place(ada)]).toEqual([payment, send]);
    expect((await florin.get('/api/v1/latest_transactions_by_username/ada')).status).toBe(200);
    expect((await florin.get(`/api/v1/limits/${ada.userId}`)).status).toBe(200);
    await go(scope);
    expect([await pay(ada, bob), await place(ada)]).toEqual(['paid', 'accepted']);
  });

  it.each([
    ['all', [true, true]],
    ['user', 'refused'],
    ['chain', [true, true]],
    [`chain:${HOME}`, [true, false]],
    ['chain:BASE-SEPOLIA', [false, true]],
  ])('of %s stops the signing in its scope only if it says so', async (scope, stopped) => {
    const signing = () => Promise.all([HOME, 'BASE-SEPOLIA'].map((chain) => isSigningPaused(florin.db, chain)));
    await stop(scope);
    expect(await signing()).toEqual([false, false]);
    await go(scope);
    const pause = operate(florin.db, 'pause', 'add', scope, '--signing', '--why', 'a test');
    if (stopped === 'refused') return expect(pause).rejects.toThrow(/need no signature/);
    await pause;
    expect(await signing()).toEqual(stopped);
    await go(scope);
    expect(await signing()).toEqual([false, false]);
  });

  it('of one person stops only their payments; the key stays free, and accepted payments continue', async () => {
    const promised = randomUUID();
    const amount = parseUsdc('1');
    const held = { transferId: promised, debitAccount: ada.accountId, creditAccount: chain, amount };
    expect(await florin.db.tx((tx) => hold(tx, held))).toBe('applied');
    await stop(`user:${ada.userId}`, 'reported as stolen');
    const headers = { 'idempotency-key': randomUUID() };
    expect(await pay(ada, bob, headers)).toBe(`403 user.paused: ${STOPPED_ONE}`);
    expect(await place(ada)).toBe(`user.paused: ${STOPPED_ONE}`);
    expect(await pay(bob, ada)).toBe('paid');
    const shown = (await florin.get(`/api/v1/limits/${ada.userId}`)).body;
    expect(shown).toMatchObject({ can_pay: false, paused: STOPPED_ONE });
    // An account that is opened meanwhile is paused as well.
    const later = await openUserAccount(florin.db, await openAsset(florin.db, 'LATER-CHAIN', 'USDC'), ada.userId);
    const [row] = await florin.db.query('SELECT paused FROM accounts WHERE account_id = $1', [later]);
    expect(row).toEqual({ paused: true });
    const post = { transferId: randomUUID(), holdId: promised, debitAccount: ada.accountId, creditAccount: chain };
    expect(await florin.db.tx((tx) => postHold(tx, { ...post, amount }))).toBe('applied');
    await go(`user:${ada.userId}`);
    expect(await pay(ada, bob, headers)).toBe('paid');
  });

  it('takes effect between payments, not during one', async () => {
    const paying = Array.from({ length: 40 }, () => pay(ada, bob));
    await Promise.race(paying);
    await stop(`user:${ada.userId}`);
    expect(await pay(ada, bob)).toBe(`403 user.paused: ${STOPPED_ONE}`);
    const outcomes = new Set(await Promise.all(paying));
    for (const outcome of outcomes) expect(['paid', `403 user.paused: ${STOPPED_ONE}`]).toContain(outcome);
    await go(`user:${ada.userId}`);
  });

  it('is listed, and is in the audit log with its reason', async () => {
    expect(await operate(florin.db, 'pause', 'list')).toBe('Nothing is paused.\n');
    await stop('chain', 'the node is upgraded');
    expect(await operate(florin.db, 'pause', 'list')).toMatch(
      /^chain +operator +\S+ \S+ UTC +operator:\w+_tester: the node is\s+upgraded$/m,
    );
    await go('chain');
    const log = await florin.db.query<{ action: string; details: unknown }>(
      `SELECT action, details FROM audit_log WHERE actor LIKE 'operator:%_tester' ORDER BY audit_id DESC LIMIT 2`,
    );
    expect(log).toEqual([
      { action: 'payments.resumed', details: { scope: 'chain' } },
      { action: 'payments.paused', details: { scope: 'chain', reason: 'the node is upgraded' } },
    ]);
  });

  it.each([
    ['nothing', [], /WHAT is missing/],
    ['something unknown', ['everything', '--why', 'x'], /"everything" cannot be paused/],
    ['a misspelled blockchain', ['chain:ETH-SEPOLA', '--why', 'x'], /no blockchain ETH-SEPOLA \(ETH-SEPOLIA\?\)/],
    [
      'a blockchain in small letters',
      ['chain:eth-sepolia', '--why', 'x'],
      /no blockchain eth-sepolia \(ETH-SEPOLIA\?\)/,
    ],
    ['a misspelled kind', ['chian:ETH-SEPOLIA', '--why', 'x'], /cannot be paused \(chain:ETH-SEPOLIA\?\)/],
    ['everything, misspelled', ['al', '--why', 'x'], /cannot be paused \(all\?\)/],
    ['an unknown name', ['user:nobody_here', '--why', 'x'], /no person nobody_here/],
    ['a stranger', [`user:${randomUUID()}`, '--why', 'x'], /no person/],
    ['without a reason', ['all'], /--why/],
    ['the signing of people', ['user', '--signing', '--why', 'x'], /need no signature/],
  ])('%s gets a clear message', async (_, args, message) => {
    await expect(operate(florin.db, 'pause', 'add', ...args)).rejects.toThrow(message);
    await expect(go('all')).rejects.toThrow(/not paused/);
    expect(await florin.db.query('SELECT FROM pauses')).toEqual([]);
  });

  it('of a blockchain that does not exist is also refused by PostgreSQL', async () => {
    const pausing = pausePayments(florin.db, { scope: 'chain:ETH-SEPOLA', reason: 'x', stops: 'accepting' });
    await expect(pausing).rejects.toThrow(/there is no blockchain ETH-SEPOLA$/);
    expect(await florin.db.query('SELECT FROM pauses')).toEqual([]);
  });

  it('that an earlier release accepted for a blockchain that does not exist can be ended', async () => {
    await florin.admin.query(`INSERT INTO pauses (scope, reason) VALUES ('chain:ETH-SEPOLA', 'a typo')`);
    expect(await go('chain:ETH-SEPOLA')).toBe('Resumed: chain:ETH-SEPOLA.\n');
  });

  it('is planned: who is affected, why, and what happens to accepted sends', async () => {
    expect(await planOf(florin.db, 'pause', 'add', `chain:${HOME}`, '--signing', '--why', 'a fork')).toBe(
      `Pause sends to addresses on ETH-SEPOLIA.
why             a fork
new payments    accepted → refused, as 503 service.paused
accepted sends  continue → wait until the pause ends
`,
    );
    expect(await planOf(florin.db, 'pause', 'add', 'user:ada', '--why', 'stolen')).toMatch(
      new RegExp(`^Pause all payments of ada \\(user ${ada.userId}, identity check:.*403 user.paused`, 's'),
    );
    expect(await florin.db.query('SELECT FROM pauses')).toEqual([]);
    await stop('all', 'first');
    await stop('all', 'second');
    expect(await planOf(florin.db, 'pause', 'remove', 'all')).toMatch(
      /^End this pause of every payment\.\nnew payments +paused for operator since .*\(second\) → accepted\n$/s,
    );
    await stop(`chain:${HOME}`, 'third');
    expect(await planOf(florin.db, 'pause', 'remove', `chain:${HOME}`)).toMatch(/→\s+all is still paused for operator/);
    await go(`chain:${HOME}`);
    await go('all');
  });
});

describe('a pause by the service itself', () => {
  const list = () => operate(florin.db, 'pause', 'list');

  it('is listed beside operators’ pauses, and refuses sends on that blockchain', async () => {
    await pauseSends(florin.db, HOME, 'unexplained', 'coins left a wallet');
    await pauseSends(florin.db, HOME, 'unexplained', 'more coins left');
    await pauseSends(florin.db, HOME, 'gas', 'no relayer can pay for gas');
    await stop(`chain:${HOME}`, 'first');
    await stop(`chain:${HOME}`, 'relayer maintenance');
    // An operator's pause of new payments does not resume what the service has stopped.
    expect(await planOf(florin.db, 'pause', 'add', `chain:${HOME}`, '--why', 'x')).toMatch(
      /accepted sends +wait → wait until the pause ends\n/,
    );
    const rows = JSON.parse(await operate(florin.db, 'pause', 'list', '--json')) as Record<string, string>[];
    expect(rows.map((one) => [one.scope, one.cause, one.stops, one.paused_by, one.reason])).toEqual([
      ['chain:ETH-SEPOLIA', 'unexplained', 'accepting and signing', 'florin', 'coins left a wallet'],
      ['chain:ETH-SEPOLIA', 'gas', 'accepting', 'florin', 'no relayer can pay for gas'],
      ['chain:ETH-SEPOLIA', 'operator', 'accepting', `operator:${loginOf('tester')}`, 'relayer maintenance'],
    ]);
    expect([await pay(ada, bob), await place(ada)]).toEqual([
      'paid',
      'service.paused: a movement of coins on this blockchain is being looked into',
    ]);
    // People who are not operators see what it means for them, not which wallets and commands it concerns.
    expect((await readGeneralPauses(florin.db)).map(({ reason }) => reason)).toEqual([
      'a movement of coins on this blockchain is being looked into',
      'the fees of this blockchain cannot be paid at the moment',
      STOPPED,
    ]);
  });

  it('ends only with its own cause', async () => {
    expect(await go(`chain:${HOME}`)).toMatch(/^Resumed: .*\n.* is paused for unexplained \(--cause unexplained\)/);
    await expect(go(`chain:${HOME}`)).rejects.toThrow(/not paused for operator\n.*--cause unexplained/);
    const lift = (cause: string) =>
      asOperator(florin.databaseUrl, 'anna', (db) => operate(db, 'pause', 'remove', `chain:${HOME}`, '--cause', cause));
    await expect(lift('weather')).rejects.toThrow(/--cause is not "weather"/);
    await expect(lift('unexplaned')).rejects.toThrow(/--cause is not "unexplaned" \(unexplained\?\)/);
    const plan = await asOperator(florin.databaseUrl, 'anna', (db) =>
      planOf(db, 'pause', 'remove', `chain:${HOME}`, '--cause', 'gas'),
    );
    expect(plan).toMatch(/ →\s+still paused for unexplained .*\nWARNING: .*because of: no relayer can pay for gas\. /s);
    await lift('unexplained');
    await liftPause(florin.db, HOME, 'gas');
    await liftPause(florin.db, HOME, 'gas');
    await expect(lift('gas')).rejects.toThrow(/not paused for gas/);
    expect(await list()).toBe('Nothing is paused.\n');
    expect(await place(ada)).toBe('accepted');
    const [last] = await florin.db.query<{ details: unknown }>(
      'SELECT details FROM audit_log ORDER BY audit_id DESC LIMIT 1',
    );
    expect(last!.details).toEqual({ scope: `chain:${HOME}`, cause: 'unexplained' });
  });
});

describe('PostgreSQL refuses', () => {
  const BOTH = 'accepting and signing';
  it.each([
    ['a stop of signing by the scope user', 'user', 'operator', BOTH, /pauses_signing_of_chain/],
    ['a stop of signing by a person', `user:${randomUUID()}`, 'operator', BOTH, /pauses_signing_of_chain/],
    ['a person paused for a drift', `user:${randomUUID()}`, 'drift', 'accepting', /pauses_automatic_of_chain/],
    ['everything paused for gas', 'all', 'gas', 'accepting', /pauses_automatic_of_chain/],
    ['a drift that does not stop signing', 'chain:SOME-CHAIN', 'drift', 'accepting', /pauses_stop_by_cause/],
    ['gas that stops signing', 'chain:SOME-CHAIN', 'gas', BOTH, /pauses_stop_by_cause/],
    ['another cause', 'chain:SOME-CHAIN', 'weather', 'accepting', /pauses_cause_check/],
  ])('%s', async (_, scope, cause, stops, message) => {
    const insert = 'INSERT INTO pauses (scope, cause, stops, reason) VALUES ($1, $2, $3, $4)';
    await expect(florin.admin.query(insert, [scope, cause, stops, 'x'])).rejects.toThrow(message);
  });
});

describe('an operator', () => {
  const may = (name: OperatorName, work: (db: Db) => Promise<unknown>) =>
    asOperator(florin.databaseUrl, name, work).then(
      () => 'done',
      (error: Error) => error.message,
    );
  const set = (name: OperatorName, role: string) => (db: Db) =>
    operate(db, 'operator', 'add', loginOf(name), '--role', role);
  const deeds = (name: OperatorName) =>
    Promise.all([
      may(name, (db) => operate(db, 'key', 'create', 'k', '--scope', 'read')),
      may(name, (db) => operate(db, 'limit', 'set', 'verified', '--count', '9', '--why', 'x')),
      may(name, (db) => operate(db, 'pause', 'add', `chain:${HOME}`, '--why', 'x')),
      may(name, (db) => operate(db, 'pause', 'add', `user:${bob.userId}`, '--why', 'x')),
      may(name, set('mallory', 'support')),
    ]);

  it('may do what the role allows; while there is no operator, anyone with the password may do everything', async () => {
    expect(await may('rita', set('rita', 'risk'))).toMatch(/one admin must be left/);
    await may('rita', set('anna', 'admin'));
    expect(await may('rita', set('rita', 'risk'))).toMatch(/not an operator of this service/);
    await may('anna', set('rita', 'risk'));
    await may('anna', set('sven', 'support'));
    const no = (role: string) => expect.stringContaining(`has the role ${role}, which may not`);
    expect(await deeds('anna')).toEqual(['done', 'done', 'done', 'done', 'done']);
    expect(await deeds('rita')).toEqual([no('risk'), 'done', 'done', 'done', no('risk')]);
    expect(await deeds('sven')).toEqual([no('support'), no('support'), no('support'), 'done', no('support')]);
    for (const said of await deeds('ada'))
      expect(said).toContain(`${loginOf('ada')} is not an operator of this service: florin operator list`);
    expect(await operate(florin.db, 'operator', 'list')).toMatch(new RegExp(`^${loginOf('sven')} +support$`, 'm'));
    const remove = (name: OperatorName) => (db: Db) => operate(db, 'operator', 'remove', loginOf(name));
    expect(await may('anna', remove('anna'))).toMatch(/one admin/);
    expect(await may('anna', remove('mallory'))).toBe('done');
  });

  it.each([
    ['makes themselves an admin', `SELECT set_operator(session_user, 'admin'), $1::text`],
    ['removes another operator', 'SELECT remove_operator($1)'],
    ['raises a limit', `SELECT ledger_set_tier('verified', '{"day": null}', 'operator:' || $1, 'greed')`],
    ['gives people another tier', `SELECT ledger_give_tier('none', 'unlimited', 'operator:' || $1, 'greed')`],
    ['revokes a key', 'SELECT revoke_key(gen_random_uuid()), $1::text'],
    ['confirms keys after a restore', `SELECT confirm_restore('keys'), $1::text`],
  ])('without the role never %s, not even in SQL', async (_, sql) => {
    const said = await may('sven', (db) => db.query(sql, [loginOf('anna')]));
    expect(said).toMatch(/has the role support, which may not do this/);
  });
});
