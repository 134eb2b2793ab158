/** Coins: approvals, provider moves, relayers, unexplained moves, webhooks. */
import type pg from 'pg';
import { loginOf } from '../../../operators.ts';
import { addressOf, hashOf, idOf, SENDING_WALLET, walletOf } from './names.ts';

export async function buildCustody(owner: pg.Client): Promise<void> {
  await approve(owner);
  await settleByProvider(owner);
  await loseTrack(owner);
  await owner.query(`INSERT INTO relayers (network_id, reference, address, first_nonce) VALUES (1, 'relayer', $1, 0)`, [
    addressOf(200),
  ]);
  await owner.query(
    `INSERT INTO webhook_endpoints (endpoint_id, url, description, types, in_order, place)
     VALUES ($1, 'https://example.com/hook', '', '{*}', true, 0)`,
    [idOf('endpoint', 1)],
  );
  await owner.query(`INSERT INTO webhook_secrets (endpoint_id, number, secret) VALUES ($1, 1, sha256('secret'))`, [
    idOf('endpoint', 1),
  ]);
  await owner.query(
    `INSERT INTO webhook_deliveries (endpoint_id, event_id, place, type, happened_at, data)
     VALUES ($1, 'evt_1', 1, 'payment.complete', now(), '{}')`,
    [idOf('endpoint', 1)],
  );
  await owner.query(
    `INSERT INTO restores (reason, noted_at, noted_by) VALUES ('drill', now() - interval '90 days', 'anna')`,
  );
}

async function approve(owner: pg.Client): Promise<void> {
  const give = async (payment: number, names: readonly ('anna' | 'rita')[]) => {
    for (const name of names) {
      await owner.query('INSERT INTO approvals (payment_id, operator) VALUES ($1, $2)', [
        idOf('payment', payment),
        loginOf(name),
      ]);
    }
  };
  await give(13, ['anna']);
  await give(14, ['anna', 'rita']);
  await owner.query(`SELECT payments_advance(ARRAY[$1::uuid], '{CLEARED}', NULL, NULL, NULL)`, [idOf('payment', 14)]);
  await owner.query('INSERT INTO payout_approvals (payout_id, operator) VALUES ($1, $2)', [
    idOf('payout', 5),
    loginOf('anna'),
  ]);
}

/**
 * Settlements from the wallet that its provider sends from. 1: requested once; 2: held, with proposals; 3: never
 * requested.
 */
async function settleByProvider(owner: pg.Client): Promise<void> {
  await owner.query(
    `INSERT INTO holdings (asset_id, wallet_id, coins) VALUES (1, $1, 50000000)
     ON CONFLICT (asset_id, wallet_id) DO UPDATE SET coins = excluded.coins`,
    [SENDING_WALLET],
  );
  await owner.query('INSERT INTO settlements (settlement_id, asset_id) VALUES ($1, 1)', [idOf('settlement', 1)]);
  for (const nth of [1, 2, 3]) {
    await owner.query(
      `INSERT INTO coin_moves (move_id, asset_id, wallet_id, purpose, settlement_id, to_wallet, rail, from_address, to_address, amount, reserved)
       VALUES ($1, 1, $2, 'settlement', $3, $4, 'provider', $5, $6, 1000000, 1000000)`,
      [idOf('move', nth), SENDING_WALLET, idOf('settlement', 1), walletOf('alice'), addressOf(101), addressOf(1)],
    );
    if (nth === 3) continue;
    await owner.query(
      `INSERT INTO provider_transfers (move_id, provider, key, attempts, first_asked_at, counted_at, held_at)
       VALUES ($1, 'circle_send', $2, $3, now() - interval '2 days', now() - interval '2 days', $4)`,
      [idOf('move', nth), idOf('provider', nth), nth, nth === 2 ? new Date(0) : null],
    );
  }
  for (const [i, name] of (['anna', 'ada', 'mallory'] as const).entries()) {
    await owner.query(
      `INSERT INTO transfer_decisions (decision_id, move_id, verdict, reason, proposed_by) VALUES ($1, $2, 'never_made', 'asked', $3)`,
      [idOf('decision', i + 1), idOf('move', 2), loginOf(name)],
    );
  }
}

/**
 * 1: to a stranger; 2: to carol's wallet; 3: more than dora has; 4: to a wallet of ours that no operator has named yet.
 */
async function loseTrack(owner: pg.Client): Promise<void> {
  for (const [nth, wallet, amount, to] of [
    [1, 'alice', 2_000_000, null],
    [2, 'bob', 1_000_000, 'carol'],
    [3, 'dora', 9_000_000, null],
    [4, 'bob', 1_500_000, 'alice'],
  ] as const) {
    await owner.query(
      `INSERT INTO unexplained_moves (asset_id, tx_hash, log_index, wallet_id, to_address, amount, block_number, to_wallet, ordinal, deposit_id)
       VALUES (1, $1, 0, $2, $3, $4, 960, $5, $6, $7)`,
      [
        hashOf(500 + nth),
        walletOf(wallet),
        to ? addressOf(to === 'carol' ? 3 : 1) : addressOf(9_000 + nth),
        amount,
        to && walletOf(to),
        to ? 0 : null,
        to ? idOf('deposit', 500 + nth) : null,
      ],
    );
  }
}
