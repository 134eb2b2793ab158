import type { Hex } from '../../../server/src/core/ports.ts';
import type { CustodyWorld } from '../chain/custody.ts';
import { judgeEnd } from '../properties/judgeEnd.ts';
import type { killPayout } from './killPayout.ts';

/** Returns the faults of a payout that has ended. Any entry is a bug. */
export async function judgePayout(
  world: CustodyWorld,
  { payout, lines, wanted }: Awaited<ReturnType<typeof killPayout>>,
): Promise<string[]> {
  const faults: string[] = [];
  if (payout.state !== 'complete') faults.push(`the payout is ${payout.state}`);
  const total = [...wanted.values()].reduce((sum, { amount }) => sum + amount, 0n);
  const paid = payout.byState.paid ?? { count: 0, total: 0n };
  if (paid.count !== wanted.size || paid.total !== total) faults.push(`${paid.count} rows and ${paid.total} are paid`);
  const references = lines.map((line) => line.split(',')[0]);
  if (String(references) !== String([...wanted.keys()])) faults.push('the answer has other rows, or another order');
  const ids = lines.map((line) => line.split(',')[6]!);
  if (new Set(ids).size !== wanted.size) faults.push('two rows share a payment, or one lacks it');
  // One payment each, and no one got more or less.
  const sums = await world.db.query<{ username: string; available: bigint }>(
    `SELECT n.username, a.available FROM accounts a JOIN usernames n USING (user_id)`,
  );
  const owed = new Map<string, bigint>();
  for (const { to, amount } of wanted.values()) owed.set(to, (owed.get(to) ?? 0n) + amount);
  for (const { username, available } of sums)
    if (available !== (owed.get(username) ?? 0n)) faults.push(`${username} has ${available}`);
  for (const [to, amount] of owed) {
    if (!to.startsWith('0x')) continue;
    const logs = await world.listTransfers(to as Hex);
    if (logs.length !== 1 || logs[0]!.amount !== amount) faults.push(`${to} got ${logs.length} transfers`);
  }
  const [{ payments } = { payments: 0n }] = await world.db.query<{ payments: bigint }>(
    `SELECT count(*) AS payments FROM transfers t JOIN accounts d ON d.account_id = t.debit_account
      WHERE t.kind IN ('user', 'hold') AND d.kind = 'treasury'`,
  );
  if (payments !== BigInt(wanted.size)) faults.push(`the treasury made ${payments} payments`);
  return [...faults, ...(await judgeEnd(world))];
}
