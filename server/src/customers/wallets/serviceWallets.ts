import { newId } from '../../core/ids.ts';
import type { WalletSource } from '../../core/ports.ts';
import type { WalletProvider } from '../../core/signer.ts';
import type { Db, Queryable } from '../../db/database.ts';

/** The message is for the operator. */
export class OtherWallets extends Error {}

/** Creates wallets, and names the references of those it has created. */
type Maker = Pick<WalletSource, 'create' | 'referenceOf'> & { readonly provider: WalletProvider };

/** The providers that hold the keys of people's wallets and of the treasury's. */
export interface WalletChoice {
  readonly provider: WalletProvider;
  /** Exceptions by blockchain. */
  readonly networks: Readonly<Record<string, WalletProvider>>;
  /** The previous provider, if the wallets are to move. */
  readonly from: WalletProvider | undefined;
  /** At Circle, the wallet set that contains them. */
  readonly walletSet: string | undefined;
  /** One for every provider above; the home blockchain's provider comes first. */
  readonly makers: readonly Maker[];
}

interface Treasury {
  readonly walletId: string;
  readonly address: string;
}

/** All keys come from our own seed. */
export const chooseOwnKeys = (seed: Pick<WalletSource, 'create' | 'referenceOf'>): WalletChoice => ({
  provider: 'local',
  networks: {},
  from: undefined,
  walletSet: undefined,
  makers: [{ ...seed, provider: 'local' }],
});

/**
 * Binds the database to its seed and to the providers that hold people's keys, and makes sure that the treasury has its
 * wallets. Throws `OtherWallets` when the database is bound to a different seed or provider: new wallets would get
 * addresses that the existing keys cannot sign for.
 */
export async function prepareServiceWallets(
  db: Db,
  seed: Pick<WalletSource, 'create' | 'referenceOf' | 'fingerprint'>,
  choice: WalletChoice = chooseOwnKeys(seed),
): Promise<Treasury> {
  const misfit = await choose(db, seed.fingerprint, choice);
  if (misfit) throw new OtherWallets(MISFITS[misfit]);
  const treasuries: Treasury[] = [];
  for (const maker of choice.makers) {
    const reference = maker.referenceOf({ kind: 'treasury' });
    // A known treasury needs no request to its provider, so an unreachable provider does not prevent a start.
    const treasury = (await findWallet(db, maker.provider, reference)) ?? (await makeTreasury(db, maker));
    if (!treasury) throw new OtherWallets(MISFITS.account);
    treasuries.push(treasury);
  }
  return treasuries[0]!;
}

/**
 * Returns the wallet set that this database is bound to. Throws `OtherWallets` before any request to a provider if the
 * database belongs to another seed or another provider: wallets created there would belong to no one.
 */
export async function findWalletSet(
  db: Db,
  fingerprint: string,
  choice: Omit<WalletChoice, 'makers' | 'walletSet'>,
): Promise<string | undefined> {
  const [seed] = await db.query<{ wallet_set: string | null }>('SELECT wallet_set FROM wallet_seeds');
  if (seed?.wallet_set) return seed.wallet_set;
  const nothing = new Error('rolled back on purpose');
  await db
    .tx(async (tx) => {
      const misfit = await choose(tx, fingerprint, { ...choice, walletSet: 'not known yet' });
      throw misfit ? new OtherWallets(MISFITS[misfit]) : nothing;
    })
    .catch((error: unknown) => {
      if (error !== nothing) throw error;
    });
  return undefined;
}

async function choose(
  db: Queryable,
  fingerprint: string,
  { provider, walletSet, networks, from }: Omit<WalletChoice, 'makers'>,
): Promise<keyof typeof MISFITS | null> {
  const [row] = await db.query<{ misfit: keyof typeof MISFITS | null }>(
    'SELECT choose_wallets($1, $2, $3, $4, $5) AS misfit',
    [fingerprint, provider, walletSet ?? null, JSON.stringify(networks), from ?? null],
  );
  return row!.misfit;
}

const MISFITS = {
  seed: 'this database belongs to another wallet seed than the one in FLORIN_WALLET_SEED_FILE',
  provider: "FLORIN_WALLETS does not name the providers that hold the keys of this database's wallets",
  account: 'the wallets of this database do not have the account type that FLORIN_CIRCLE_ACCOUNT names',
  set: 'the wallets of this database are not in the wallet set that FLORIN_CIRCLE_WALLET_SET names',
};

async function findWallet(db: Db, provider: string, reference: string): Promise<Treasury | undefined> {
  const [row] = await db.query<{ wallet_id: string; address: string }>(
    'SELECT wallet_id, address FROM wallets WHERE provider = $1 AND reference = $2',
    [provider, reference],
  );
  return row && { walletId: row.wallet_id, address: row.address };
}

/** Returns undefined when the treasury has another wallet of this provider. */
async function makeTreasury(db: Db, keys: Pick<WalletSource, 'create'>): Promise<Treasury | undefined> {
  const { provider, family, reference, address } = await keys.create({ kind: 'treasury' });
  await db.query(
    `INSERT INTO wallets (wallet_id, kind, provider, family, reference, address)
     VALUES ($1, 'treasury', $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
    [newId(), provider, family, reference, address],
  );
  return findWallet(db, provider, reference);
}
