import { newId } from '../../core/ids.ts';
import type { Keyring } from '../../core/ports.ts';
import type { SigningProvider } from '../../core/signer.ts';
import type { Db } from '../../db/database.ts';

/** The message is for the operator. */
export class OtherWallets extends Error {}

/** Who holds the keys of people's wallets and of the treasury's. */
export interface WalletChoice {
  readonly provider: SigningProvider;
  /** At Circle, the set that they are in. */
  readonly walletSet: string | undefined;
  readonly keys: Pick<Keyring, 'create' | 'referenceOf'>;
}

interface Treasury {
  readonly walletId: string;
  readonly address: string;
}

/**
 * Binds the database to its seed and to who holds people's keys, and makes sure that the treasury has its wallet. Throws
 * `OtherWallets` when the database belongs to others: new wallets would get addresses that theirs cannot sign for.
 */
export async function prepareServiceWallets(
  db: Db,
  seed: Pick<Keyring, 'create' | 'referenceOf' | 'fingerprint'>,
  { provider, walletSet, keys }: WalletChoice = { provider: 'local', walletSet: undefined, keys: seed },
): Promise<Treasury> {
  const [chosen] = await db.query<{ misfit: keyof typeof MISFITS | null }>(
    'SELECT choose_wallets($1, $2, $3) AS misfit',
    [seed.fingerprint, provider, walletSet ?? null],
  );
  if (chosen!.misfit) throw new OtherWallets(MISFITS[chosen!.misfit]);
  const reference = keys.referenceOf({ kind: 'treasury' });
  // Known already: nobody has to be asked for it, and a provider that is away keeps nobody from starting.
  return (await findWallet(db, provider, reference)) ?? makeTreasury(db, keys);
}

const MISFITS = {
  seed: 'this database was made with another wallet seed than FLORIN_WALLET_SEED_FILE holds',
  provider: "FLORIN_WALLETS names others than those who hold the keys of this database's wallets",
  set: 'the wallets of this database are in another wallet set than FLORIN_CIRCLE_WALLET_SET names',
};

/** The set that this database was bound to. */
export async function findWalletSet(db: Db): Promise<string | undefined> {
  const [seed] = await db.query<{ wallet_set: string | null }>('SELECT wallet_set FROM wallet_seeds');
  return seed?.wallet_set ?? undefined;
}

async function findWallet(db: Db, provider: string, reference: string): Promise<Treasury | undefined> {
  const [row] = await db.query<{ wallet_id: string; address: string }>(
    'SELECT wallet_id, address FROM wallets WHERE provider = $1 AND reference = $2',
    [provider, reference],
  );
  return row && { walletId: row.wallet_id, address: row.address };
}

async function makeTreasury(db: Db, keys: Pick<Keyring, 'create'>): Promise<Treasury> {
  const { provider, family, reference, address } = await keys.create({ kind: 'treasury' });
  await db.query(
    `INSERT INTO wallets (wallet_id, kind, provider, family, reference, address)
     VALUES ($1, 'treasury', $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
    [newId(), provider, family, reference, address],
  );
  return (await findWallet(db, provider, reference))!;
}
