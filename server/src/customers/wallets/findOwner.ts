import type { Queryable } from '../../db/database.ts';
import { findAddress } from '../findAddress.ts';

/** The person behind an address, as a customer may learn it. */
interface Owner {
  readonly userId: string;
  /** Undefined: they do not let strangers find their name. */
  readonly username: string | undefined;
}

/** The customer whose wallet has this address, now or before. Undefined also for our own wallets and closed accounts. */
export async function findOwner(db: Queryable, address: string): Promise<Owner | undefined> {
  const wallet = await findAddress(db, address);
  if (!wallet?.userId) return undefined;
  const [owner] = await db.query<{ username: string | null }>(
    `SELECT p.username FROM users u LEFT JOIN public_names p USING (user_id)
      WHERE u.user_id = $1 AND u.closed_at IS NULL`,
    [wallet.userId],
  );
  return owner && { userId: wallet.userId, username: owner.username ?? undefined };
}
