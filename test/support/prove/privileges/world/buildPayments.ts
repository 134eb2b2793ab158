/** Money: deposits, payments between people, sends in every state, keys, payouts, requests, refunds and corrections. */
import type pg from 'pg';
import { loginOf } from '../../../operators.ts';
import { batchOf } from '../calls/payBatch.ts';
import { keyRules, payoutOf, payoutRow, RAILS, SEND_RULES, sendOf } from '../calls/shapes.ts';
import { type Json, renderSql, type Value } from '../value.ts';
import { HOME_ASSET, hashOf, idOf, OTHER_ASSET, PEOPLE, TREASURY_WALLET, userOf, walletOf } from './names.ts';

/** The ledger's general transfer function, which no login may call. */
async function findMover(owner: pg.Client): Promise<string> {
  const { rows } = await owner.query<{ name: string }>(
    `SELECT proname AS name FROM pg_proc WHERE proname IN ('ledger_apply', 'ledger_move') ORDER BY proname LIMIT 1`,
  );
  return rows[0]!.name;
}

export async function buildPayments(owner: pg.Client): Promise<void> {
  await deposit(owner);
  await createKeys(owner);
  await payPeople(owner);
  await sendAway(owner);
  await payOut(owner);
  for (const [nth, asker, payer] of [
    [1, 'bob', 'alice'],
    [2, 'alice', 'bob'],
    [3, 'carol', null],
    [4, 'dan', 'carol'],
  ] as const) {
    await owner.query('SELECT ask_for_money($1, $2, $3, 3000000, NULL, NULL)', [
      idOf('request', nth),
      userOf(asker),
      payer && userOf(payer),
    ]);
  }
  const proposers = ['anna', 'ada', 'mallory', 'rita'] as const;
  for (const [i, name] of proposers.entries()) {
    await owner.query(
      `INSERT INTO corrections (correction_id, asset_id, wallet_id, amount, reason, proposed_by)
       VALUES ($1, 1, $2, $3, 'found', $4)`,
      [idOf('correction', i + 1), i % 2 ? walletOf('alice') : null, i === 1 ? -2_000_000 : 2_000_000, loginOf(name)],
    );
    await owner.query(
      `INSERT INTO refunds (refund_id, payment_id, source, amount, reason, proposed_by) VALUES ($1, $2, 'treasury', 1000000, 'asked', $3)`,
      [idOf('refund', i + 1), idOf('payment', 1), loginOf(name)],
    );
  }
  await owner.query(
    `INSERT INTO debts (payment_id, account_id, amount) SELECT $1, account_id, 4000000 FROM accounts WHERE user_id = $2 AND asset_id = 1`,
    [idOf('payment', 90), userOf('dora')],
  );
}

async function deposit(owner: pg.Client): Promise<void> {
  const mover = await findMover(owner);
  let nth = 0;
  const book = async (asset: bigint, user: string | null, wallet: string, amount: bigint) => {
    nth++;
    if (amount === 0n) return;
    const account = user ? `user_id = '${user}'` : `kind = 'treasury'`;
    await owner.query(
      `INSERT INTO deposits (asset_id, tx_hash, wallet_id, ordinal, from_address, amount, block_number, block_hash, transfer_id)
       VALUES ($1, $2, $3, 0, '0xf', $4, 900, '0xblock', $5)`,
      [asset, hashOf(nth), wallet, amount, idOf('deposit', nth)],
    );
    await owner.query(
      `SELECT ${mover}($1, 'deposit', (SELECT account_id FROM accounts WHERE kind = 'chain' AND asset_id = $2),
         (SELECT account_id FROM accounts WHERE ${account} AND asset_id = $2), $3, NULL, '0xf')`,
      [idOf('deposit', nth), asset, amount],
    );
    await owner.query(
      `INSERT INTO holdings (asset_id, wallet_id, coins, ledger) VALUES ($1, $2, $3, $3)
       ON CONFLICT (asset_id, wallet_id) DO UPDATE SET coins = excluded.coins, ledger = excluded.ledger`,
      [asset, wallet, amount],
    );
  };
  for (const { name, balances } of PEOPLE) {
    await book(HOME_ASSET, userOf(name), walletOf(name), balances[0]);
    await book(OTHER_ASSET, userOf(name), walletOf(name), balances[1]);
  }
  await book(HOME_ASSET, null, TREASURY_WALLET, 800_000_000n);
  await book(OTHER_ASSET, null, TREASURY_WALLET, 100_000_000n);
}

/** 1: everything; 2: alice's money only; 3: payouts; 4: revoked; 5: expired; of accounts: 6: alice pays; 7: revoked; 8: bob reads. */
async function createKeys(owner: pg.Client): Promise<void> {
  const keys: [string[], Json][] = [
    [['read', 'send'], keyRules()],
    [['send'], { ...keyRules(), any_person: false, users: [userOf('alice')], treasury: null }],
    [['payouts'], keyRules()],
    [['send'], keyRules()],
    [['send', 'read'], { ...keyRules(), expires_at: '2020-01-01T00:00:00Z' }],
  ];
  for (const [i, [scopes, rules]] of keys.entries()) {
    await owner.query('SELECT create_key($1::uuid, $2, sha256($1::uuid::text::bytea), $3, $4)', [
      idOf('key', i + 1),
      `key ${i + 1}`,
      scopes,
      JSON.stringify(rules),
    ]);
  }
  await owner.query('SELECT revoke_key($1)', [idOf('key', 4)]);
  for (const [nth, name, session, scope] of [
    [6, 'alice', 1, 'own:pay'],
    [7, 'alice', 1, 'own:pay'],
    [8, 'bob', 2, 'own:read'],
  ] as const) {
    await owner.query(
      `SELECT create_account_key($1, $2, $3::uuid, sha256($3::uuid::text::bytea), $4, $5, NULL, NULL, 5000000, 5000000, NULL)`,
      [userOf(name), idOf('session', session), idOf('key', nth), `key ${nth}`, [scope]],
    );
  }
  await owner.query('SELECT revoke_account_key($1, $2)', [userOf('alice'), idOf('key', 7)]);
}

async function payPeople(owner: pg.Client): Promise<void> {
  const { rows } = await owner.query<{ user_id: string; account_id: string }>(
    'SELECT user_id, account_id FROM accounts WHERE asset_id = 1 AND user_id IS NOT NULL',
  );
  const accountOf = (name: string) => BigInt(rows.find((row) => row.user_id === userOf(name))!.account_id);
  const pairs = [
    ['alice', 'bob', 10],
    ['bob', 'carol', 5],
    ['dan', 'alice', 149],
    ['dan', 'bob', 140],
  ] as const;
  const batch = batchOf(
    HOME_ASSET,
    pairs.map(([from, to, amount], i) => ({
      id: idOf('payment', i + 1),
      debit: accountOf(from),
      credit: accountOf(to),
      amount: BigInt(amount) * 1_000_000n,
      from,
      to,
      keyed: false,
    })),
  );
  const { rows: types } = await owner.query<{ name: string; type: string }>(
    `SELECT n AS name, format_type(t, NULL) AS type FROM pg_proc, unnest(proargnames, proallargtypes, proargmodes) AS a(n, t, m)
      WHERE proname = 'ledger_pay_batch' AND m = 'i'`,
  );
  const args = types.map(({ name, type }) => renderSql(batch[name] as Value, type)).join(', ');
  const { rows: paid } = await owner.query(`SELECT o_exceptions FROM ledger_pay_batch(${args})`);
  if (Object.keys(paid[0].o_exceptions).length > 0) throw new Error(`not paid: ${JSON.stringify(paid[0])}`);
}

/**
 * 11: just accepted; 12: waits for two approvals; 13: for one more; 14: approved; 15: queued; 16: posted; 17: released;
 * 18: on the other chain; 19: by the treasury; 20: queued, of the sending wallet's owner.
 */
async function sendAway(owner: pg.Client): Promise<void> {
  const sends = [
    sendOf(idOf('payment', 11), { username: 'alice', amount: '5000000' }),
    sendOf(idOf('payment', 12), { username: 'alice', amount: '110000000' }),
    sendOf(idOf('payment', 13), { username: 'bob', amount: '110000000' }),
    sendOf(idOf('payment', 14), { username: 'bob', amount: '101000000' }),
    sendOf(idOf('payment', 15), { username: 'alice', amount: '6000000' }),
    sendOf(idOf('payment', 16), { username: 'alice', amount: '7000000' }),
    sendOf(idOf('payment', 17), { username: 'alice', amount: '8000000' }),
    sendOf(idOf('payment', 18), {
      username: 'alice',
      amount: '9000000',
      blockchain: 'BASE-SEPOLIA',
      job: 'submit BASE-SEPOLIA',
    }),
    sendOf(idOf('payment', 19), {
      caller: idOf('key', 1),
      wallet: TREASURY_WALLET,
      amount: '12000000',
      shown: 'wallet',
    }),
    sendOf(idOf('payment', 20), { username: 'bob', amount: '4000000' }),
  ];
  const { rows } = await owner.query('SELECT * FROM accept_sends($1, $2)', [
    JSON.stringify(SEND_RULES),
    JSON.stringify(sends),
  ]);
  const refused = rows.filter(({ outcome }) => outcome !== 'accepted');
  if (refused.length > 0) throw new Error(`not accepted: ${JSON.stringify(refused)}`);
  const queued = [15, 16, 20].map((nth) => idOf('payment', nth));
  const { rows: reserved } = await owner.query<{ ids: string[] }>('SELECT queue_payments(1::smallint, $1, $2) AS ids', [
    queued,
    JSON.stringify(RAILS),
  ]);
  if (reserved[0]!.ids.length !== 3) throw new Error('not queued');
  await owner.query(
    `UPDATE coin_moves SET state = 'done', reserved = 0, tx_hash = $2, block_number = 950, started_at = now() WHERE move_id = $1;`,
    [idOf('payment', 16), hashOf(16)],
  );
  await owner.query(
    `SELECT ${await findMover(owner)}($1, 'post', debit_account, credit_account, amount, transfer_id, NULL) FROM transfers WHERE transfer_id = $2`,
    [idOf('post', 16), idOf('payment', 16)],
  );
  await owner.query(`SELECT payments_advance(ARRAY[$1::uuid], '{SENT}', ARRAY[$2], NULL, NULL)`, [
    idOf('payment', 16),
    hashOf(16),
  ]);
  await owner.query(`SELECT payments_advance(ARRAY[$1::uuid], '{COMPLETE}', ARRAY[$2], NULL, NULL)`, [
    idOf('payment', 16),
    hashOf(16),
  ]);
  await owner.query(`SELECT payment_release($1, $2, 'CANCELLED', 'changed my mind', NULL)`, [
    idOf('payment', 17),
    idOf('post', 17),
  ]);
}

/** 1: checked, small; 2 and from 7 on: checked, large; 3: running; 4: waits for two approvals; 5: for one more; 6: by alice. */
async function payOut(owner: pg.Client): Promise<void> {
  const small = [payoutRow(1, { username: 'bob', amount: '2000000' }), payoutRow(2, { amount: '3000000' })];
  const large = [payoutRow(1, { username: 'bob', amount: '120000000' }), payoutRow(2, { amount: '1000000' })];
  for (const [nth, rows, payer] of [
    [1, small, null],
    [2, large, null],
    [3, small, null],
    [4, large, null],
    [5, large, null],
    [6, small, 'alice'],
    [7, large, null],
    [8, large, null],
    [9, large, null],
  ] as const) {
    const payout = payoutOf(idOf('payout', nth), {
      payer: payer && userOf(payer),
      wallet: payer ? walletOf(payer) : TREASURY_WALLET,
    });
    const own = rows.map((row, i) => ({ ...row, id: idOf('payment', 100 * nth + i) }));
    const { rows: kept } = await owner.query('SELECT create_payout($1, $2, $3) AS refusal', [
      JSON.stringify(payout),
      JSON.stringify(own),
      Buffer.from('file'),
    ]);
    if (kept[0].refusal) throw new Error(`payout ${nth}: ${JSON.stringify(kept[0])}`);
    if (nth < 3 || nth >= 6) continue;
    const total = own.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    const { rows: confirmed } = await owner.query('SELECT * FROM confirm_payout($1, $2, 2, $3, NULL, NULL, NULL)', [
      idOf('payout', nth),
      idOf('key', 3),
      total,
    ]);
    if (confirmed[0].outcome !== 'confirmed') throw new Error(`payout ${nth}: ${JSON.stringify(confirmed[0])}`);
  }
}
