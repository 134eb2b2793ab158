/** Attacks with stolen credentials, or with too many credentials of one person. */
import { randomUUID } from 'node:crypto';
import type { Db } from '../../server/src/db/database.ts';
import { openAsset } from '../../server/src/ledger/accounts.ts';
import { acceptSends } from '../../server/src/payments/sends/acceptSends.ts';
import { type Attack, codes, count, fund, join, key } from '../support/attacks.ts';
import { randomAddress } from '../support/chain/custody.ts';
import { asAdmin } from '../support/database.ts';
import { readAnswer } from '../support/http/answer.ts';
import { operate } from '../support/operate.ts';
import { asOperator, loginOf, nameOperators } from '../support/operators.ts';

const createKey = async (db: Db, ...options: string[]) => {
  const text = await operate(db, 'key', 'create', 'leaked', '--scope', 'send', ...options);
  return { authorization: `Bearer ${/fsk_\S+/.exec(text)![0]}`, id: /Key (\S+)/.exec(text)![1]! };
};

const payload = (name: string, more: object = {}) => ({
  destination_address: randomAddress(),
  amount: 1,
  blockchain: 'ETH-SEPOLIA',
  wallet_username: name,
  ...more,
});

export const leakedKeyInBulk: Attack = {
  attack: 'Leaked key, limited to the amount of 10 payments: 64 concurrent sends to two servers',
  wanted:
    '10 × 200, 54 × 403 key.limit_exceeded; 10 payments have the key, as do 10 entries of the audit log and the log',
  async probe(world) {
    const { florin, db } = world;
    const owner = await join(florin, 'capped_shop');
    await fund(world, owner, '64');
    const { authorization, id } = await createKey(db, '--user', 'capped_shop', '--day', '10');
    const servers = [florin.web3Url, (await florin.startAnother()).web3_url];
    const answers = await Promise.all(
      Array.from({ length: 64 }, async (_, i) =>
        readAnswer(
          await fetch(`${servers[i % 2]}/wallet/send-usdc`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', authorization, ...key() },
            body: JSON.stringify(payload('capped_shop')),
          }),
        ),
      ),
    );
    const codesSeen = new Set(codes(answers.filter(({ status }) => status !== 200)).split(', '));
    const [rows] = await db.query<{ payments: number; entries: number }>(
      `SELECT (SELECT count(*)::int FROM payments WHERE key_id = $1) AS payments,
              (SELECT count(*)::int FROM audit_log WHERE actor = 'key:' || $1::text) AS entries`,
      [id],
    );
    const isLogged = florin.log().includes(`"key_id":"${id}"`) ? 'the log' : 'not the log';
    return `${count(answers, 200)} × 200, ${count(answers, 403)} × ${[...codesSeen].join()}; ${rows!.payments} payments have the key, as do ${rows!.entries} entries of the audit log and ${isLogged}`;
  },
};

export const leakedKey: Attack = {
  attack: 'Leaked key: the treasury, another wallet, address, blockchain, without its certificate, after its expiry',
  wanted:
    '403 treasury, 403 wallet, 403 destination, 403 blockchain, 401 certificate, 401 expired; nothing accepted; a revoked one 401',
  async probe({ florin, db, mallory, victim }) {
    const own = randomAddress();
    const bound = ['--user', mallory.name, '--to', own];
    await openAsset(db, 'BASE-SEPOLIA', 'USDC');
    const [narrow, elsewhere, certified, expired] = [
      await createKey(db, ...bound),
      await createKey(db, ...bound, '--blockchain', 'BASE-SEPOLIA'),
      await createKey(db, ...bound, '--certificate', 'ab'.repeat(32)),
      await createKey(db, ...bound, '--expires', '2020-01-01'),
    ];
    const send = ({ authorization }: { authorization: string }, more: object = {}) =>
      florin.call('POST', '/wallet/send-usdc', payload(mallory.name, { destination_address: own, ...more }), {
        authorization,
        ...key(),
      });
    const answers = [
      await send(narrow, { wallet_username: undefined }),
      await send(narrow, { wallet_username: victim.name }),
      await send(narrow, { destination_address: randomAddress() }),
      await send(elsewhere),
      await send(certified),
      await send(expired),
    ];
    const [accepted] = await db.query<{ payments: number }>(
      'SELECT count(*)::int AS payments FROM payments WHERE key_id = ANY ($1)',
      [[narrow, elsewhere, certified, expired].map(({ id }) => id)],
    );
    const ok = await send(narrow);
    await operate(db, 'key', 'revoke', narrow.id);
    const revoked = await send(narrow);
    const said = answers.map(({ status, body }) => `${status} ${body.what ?? body.reason}`).join(', ');
    const nothing = accepted!.payments === 0 && ok.status === 200 ? 'nothing accepted' : 'something accepted';
    return `${said}; ${nothing}; a revoked one ${revoked.status}`;
  },
};

export const keyBySql: Attack = {
  attack: 'An operator makes and revives service keys in SQL, without the function that limits them',
  wanted: 'insert refused, revive refused; support by the function refused',
  async probe({ florin, db }) {
    const { id } = await createKey(db, '--any-wallet');
    await operate(db, 'key', 'revoke', id);
    await nameOperators(florin.databaseUrl, { anna: 'admin', sven: 'support' });
    const type = (name: 'anna' | 'sven', sql: string) =>
      asOperator(florin.databaseUrl, name, (own) => own.query(sql)).then(
        () => 'done',
        (error: Error) =>
          /permission denied|stays revoked|may not do this/.test(error.message) ? 'refused' : error.message,
      );
    const columns = `service_keys (key_id, name, hash, scopes)`;
    const insert = await type('anna', `INSERT INTO ${columns} VALUES (gen_random_uuid(), 'x', '\\x00', '{send}')`);
    const revive = await type('anna', `UPDATE service_keys SET revoked_at = NULL WHERE key_id = '${id}'`);
    const support = await type('sven', `SELECT create_key(gen_random_uuid(), 'x', '\\x00', '{send}', '{}')`);
    await asAdmin(florin.databaseUrl, 'DELETE FROM operators');
    return `insert ${insert}, revive ${revive}; support by the function ${support}`;
  },
};

export const replayedRefresh: Attack = {
  attack: 'Replay of a recorded refresh request, with its Idempotency-Key',
  wanted: 'after the new token was used: 401 reused, the session is over for both, audited',
  async probe({ florin, db }) {
    const idToken = await florin.issuer.sign({ sub: 'recorded', email: 'recorded@example.com', email_verified: true });
    const { body: login } = await florin.call('POST', '/api/v1/login', { id_token: idToken });
    const headers = key();
    const refresh = () =>
      florin.call('POST', '/api/v1/sessions/refresh', { refresh_token: login.refresh_token }, headers);
    const { body: fresh } = await refresh();
    const use = () =>
      florin.call('GET', '/api/v1/sessions', undefined, { authorization: `Bearer ${fresh.access_token}` });
    const before = await use();
    const stolen = await refresh();
    const after = await use();
    const [entry] = await db.query(
      `SELECT FROM audit_log WHERE action = 'session.reused' AND user_id = $1 AND details->>'why' = 'successor used'`,
      [login.user.user_id],
    );
    const isOver = before.status === 200 && after.status === 401 ? 'over for both' : 'not over';
    return `after the new token was used: ${stolen.status} ${stolen.body.reason}, the session is ${isOver}, ${entry ? 'audited' : 'not audited'}`;
  },
};

export const approvalByOne: Attack = {
  attack: 'One person approves twice: as another, in SQL, and with the approval of a removed operator',
  wanted: 'refused: twice, another name, as the table, removed, not reserved; then paid by two',
  async probe(world) {
    const { florin, db } = world;
    const owner = await join(florin, 'large_shop');
    await fund(world, owner, '50');
    const paymentId = randomUUID();
    const rules = { approvalThreshold: 1n as never, newRecipientDelaySeconds: 0 };
    const request = {
      destination: randomAddress(),
      amount: 1_000_000n as never,
      blockchain: 'ETH-SEPOLIA',
      currency: 'USDC',
    };
    const [decision] = await acceptSends(db, rules, [
      { paymentId, hash: undefined, request: { ...request, walletUsername: 'large_shop' } },
    ]);
    if (decision!.outcome !== 'accepted') return decision!.outcome;
    await nameOperators(florin.databaseUrl, { anna: 'admin', rita: 'risk', rolf: 'risk' });
    const approve = (name: 'anna' | 'rita' | 'rolf') =>
      asOperator(florin.databaseUrl, name, (own) => operate(own, 'payment', 'approve', paymentId)).catch(
        (error) => error.message,
      );
    const type = (sql: string) =>
      asOperator(florin.databaseUrl, 'rita', (own) => own.query(sql, [paymentId])).then(
        () => 'done',
        (error: Error) => error.message,
      );
    await approve('rita');
    const refused = [
      /from another person/.test(await approve('rita')) ? 'twice' : 'accepted twice',
      /not the login|permission denied/.test(await type(`SELECT approve_payment($1, '${loginOf('anna')}')`))
        ? 'another name'
        : 'a name',
      /permission denied/.test(await type(`INSERT INTO approvals VALUES ($1, '${loginOf('anna')}')`))
        ? 'as the table'
        : 'the table',
    ];
    await asOperator(florin.databaseUrl, 'anna', (own) => own.query('SELECT remove_operator($1)', [loginOf('rita')]));
    const first = await approve('rolf');
    const removed = /1 of 2/.test(first) ? 'removed' : `counts: ${first}`;
    await asAdmin(florin.databaseUrl, `SELECT schedule_job('submit ETH-SEPOLIA', $1, NULL)`, [paymentId]);
    const move = `INSERT INTO coin_moves (move_id, asset_id, wallet_id, purpose, rail, from_address, to_address, amount, reserved)
      SELECT p.payment_id, t.asset_id, p.wallet_id, 'send', 'eip3009', w.address, p.destination, t.amount, 0 FROM payments p
        JOIN transfers t ON t.transfer_id = p.payment_id JOIN wallets w USING (wallet_id) WHERE p.payment_id = $1`;
    const reserved = await asAdmin(florin.databaseUrl, move, [paymentId]).then(
      () => 'reserved',
      (error: Error) => (/waits/.test(error.message) ? 'not reserved' : error.message),
    );
    const second = await approve('anna');
    await asAdmin(florin.databaseUrl, 'DELETE FROM operators');
    return `refused: ${[...refused, removed, reserved].join(', ')}; then ${/2 of 2/.test(second) ? 'paid by two' : second}`;
  },
};
