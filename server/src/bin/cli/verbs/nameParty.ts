/** The parties of a payment in words, for operators. */
import type { Party, Payment } from '../../../core/payment.ts';
import { listUsernames } from '../../../customers/findPerson.ts';
import type { Queryable } from '../../../db/database.ts';

/** A wallet has no user: it belongs to the treasury. */
type Owners = ReadonlyMap<string, string>;

/** The owners of the wallets that these payments name instead of a person, in words, by wallet id. */
export async function nameOwners(db: Queryable, payments: readonly Payment[]): Promise<Owners> {
  const walletIds = payments.flatMap(({ from }) => ('walletId' in from ? from.walletId : []));
  if (walletIds.length === 0) return new Map();
  const rows = await db.query<{ walletId: string; userId: string | null }>(
    'SELECT wallet_id AS "walletId", user_id AS "userId" FROM wallets WHERE wallet_id = ANY ($1)',
    [walletIds],
  );
  const names = await listUsernames(
    db,
    rows.flatMap(({ userId }) => userId ?? []),
  );
  return new Map(
    rows.map(({ walletId, userId }) => [
      walletId,
      userId === null ? 'the treasury' : (names.get(userId) ?? `user ${userId}`),
    ]),
  );
}

/** `owners` has the wallet of every party that names one. */
export function nameParty(party: Party, owners: Owners, unnamed: string): string {
  if ('address' in party) return party.address ?? unnamed;
  if ('walletId' in party) return owners.get(party.walletId) ?? `wallet ${party.walletId}`;
  return party.username ?? unnamed;
}
