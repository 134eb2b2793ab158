import { newId } from '../../core/ids.ts';
import type { Keyring } from '../../core/ports.ts';
import type { Db } from '../../db/database.ts';

/** The message is for the operator. */
export class OtherSeed extends Error {}

/**
 * Binds the database to its seed and makes sure that the treasury has its wallet. Throws `OtherSeed` when the
 * database belongs to another seed: with this one, new wallets would get addresses that the other seed cannot sign for.
 */
export async function prepareServiceWallets(app: {
  db: Db;
  keys: Pick<Keyring, 'create' | 'fingerprint'>;
}): Promise<{ readonly walletId: string; readonly address: string }> {
  const treasury = await app.keys.create({ kind: 'treasury' });
  return app.db.tx(async (tx) => {
    await tx.query('INSERT INTO wallet_seeds (fingerprint) VALUES ($1) ON CONFLICT DO NOTHING', [app.keys.fingerprint]);
    const [seed] = await tx.query<{ fingerprint: string }>('SELECT fingerprint FROM wallet_seeds');
    if (seed?.fingerprint !== app.keys.fingerprint) {
      throw new OtherSeed('this database was made with another wallet seed than FLORIN_WALLET_SEED_FILE holds');
    }
    await tx.query(
      `INSERT INTO wallets (wallet_id, kind, provider, family, reference, address)
       VALUES ($1, 'treasury', $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
      [newId(), treasury.provider, treasury.family, treasury.reference, treasury.address],
    );
    const [row] = await tx.query<{ wallet_id: string; address: string }>(
      'SELECT wallet_id, address FROM wallets WHERE provider = $1 AND reference = $2',
      [treasury.provider, treasury.reference],
    );
    return { walletId: row!.wallet_id, address: row!.address };
  });
}
