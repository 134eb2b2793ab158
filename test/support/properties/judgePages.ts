/**
 * A history that is read page by page shows every payment once, newest first, also when payments of one account were
 * committed in another order than they began.
 */

import { PEOPLE, type Scene } from '../prove/races/buildScene.ts';
import type { RaceWorld } from '../prove/races/openWorld.ts';
import { readPages } from './readRows.ts';

/** People of the scene with a payment that got its position before, and its entry after another one. */
const TURNED = `SELECT user_id, array_agg(transfer_id ORDER BY entry DESC) AS ids FROM (
  SELECT a.user_id, x.*, x.seq < lag(x.seq) OVER (PARTITION BY a.account_id ORDER BY x.entry) AS is_turned
    FROM accounts a CROSS JOIN LATERAL (
      SELECT transfer_id, kind, seq, debit_entry AS entry FROM transfers WHERE debit_account = a.account_id AND seq >= $2::bigint
      UNION ALL
      SELECT transfer_id, kind, seq, credit_entry FROM transfers
       WHERE credit_account = a.account_id AND credit_entry IS NOT NULL AND seq >= $2::bigint) x
   WHERE a.user_id = ANY ($1::uuid[])) e
 WHERE kind IN ('user', 'hold', 'deposit', 'internal')
 GROUP BY user_id HAVING bool_or(is_turned)`;

export async function judgePages({ owner, setup }: RaceWorld, scene: Scene): Promise<string[]> {
  const faults: string[] = [];
  const { rows } = await owner.query<{ user_id: string; ids: string[] }>({
    name: 'turned',
    text: TURNED,
    values: [PEOPLE.map((who) => scene.id(who)), scene.since],
  });
  for (const { user_id, ids } of rows) {
    // Pages of several accounts are merged.
    await owner.query(`SELECT ledger_open_user_accounts(ledger_open_token($1, 'USDC'), ARRAY[$2::uuid])`, [
      'BASE-SEPOLIA',
      user_id,
    ]);
    const shown: string[] = [];
    for await (const { items } of readPages(setup.db, user_id, 1, { minAmount: 0n }))
      shown.push(...items.map(({ payment }) => payment.paymentId));
    const name = (list: readonly string[]) => list.map((id) => scene.nameOf(id) ?? 'new').join(', ');
    if (shown.join() !== ids.join())
      faults.push(`the pages of ${scene.nameOf(user_id)} show ${name(shown)}; the account has ${name(ids)}`);
  }
  return faults;
}
