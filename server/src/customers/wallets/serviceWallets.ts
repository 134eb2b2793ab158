import { OWN_PROVIDER, PROVIDER_RAILS } from '../../adapters/wallets/providers.ts';
import { newId } from '../../core/ids.ts';
import type { WalletSource } from '../../core/ports.ts';
import type { WalletMaker } from '../../core/providers.ts';
import type { Db, Queryable } from '../../db/database.ts';

/** The database is bound to another seed or provider than the configuration names. The message is for the operator. */
export class OtherWallets extends Error {}

/** The providers that hold the keys of people's wallets and of the treasury's. */
export interface WalletChoice {
  readonly provider: string;
  /** Exceptions by blockchain. */
  readonly networks: Readonly<Record<string, string>>;
  /** The previous provider, if the wallets are to move. */
  readonly from: string | undefined;
  /** By provider, except our own: the account there that contains its wallets. */
  readonly accounts: Readonly<Record<string, string>>;
  /** The variables that choose the accounts, for messages. */
  readonly accountVariables?: string | undefined;
  /** One for every provider above; the home blockchain's provider comes first. */
  readonly makers: readonly WalletMaker[];
}

interface Treasury {
  readonly walletId: string;
  readonly address: string;
}

/** All keys come from our own seed. */
export const chooseOwnKeys = (seed: Pick<WalletSource, 'create' | 'referenceOf'>): WalletChoice => ({
  provider: OWN_PROVIDER,
  networks: {},
  from: undefined,
  accounts: {},
  makers: [{ ...seed, provider: OWN_PROVIDER }],
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
  if (misfit) throw describeMisfit(misfit, choice);
  const treasuries: Treasury[] = [];
  for (const maker of choice.makers) {
    const reference = maker.referenceOf({ kind: 'treasury' });
    // A known treasury needs no request to its provider, so an unreachable provider does not prevent a start.
    const treasury = (await findWallet(db, maker.provider, reference)) ?? (await makeTreasury(db, maker));
    if (!treasury) throw describeMisfit('treasury', choice);
    treasuries.push(treasury);
  }
  return treasuries[0]!;
}

/**
 * Returns the accounts that this database is bound to, by provider, of those that it knows. Throws `OtherWallets` before
 * any request to a provider if the database belongs to another seed or another provider: wallets created there would
 * belong to no one.
 */
export async function findAccounts(
  db: Db,
  fingerprint: string,
  choice: Omit<WalletChoice, 'makers' | 'accounts'>,
): Promise<Readonly<Record<string, string>>> {
  const [seed] = await db.query<Pick<WalletChoice, 'accounts'>>('SELECT accounts FROM wallet_seeds');
  const known = seed?.accounts ?? {};
  const used = [choice.provider, ...Object.values(choice.networks)].filter((provider) => provider !== OWN_PROVIDER);
  if (used.every((provider) => known[provider] !== undefined)) return known;
  const nothing = new Error('rolled back on purpose');
  const accounts = { ...Object.fromEntries(used.map((provider) => [provider, 'not known yet'])), ...known };
  await db
    .tx(async (tx) => {
      const misfit = await choose(tx, fingerprint, { ...choice, accounts });
      throw misfit ? describeMisfit(misfit, choice) : nothing;
    })
    .catch((error: unknown) => {
      if (error !== nothing) throw error;
    });
  return known;
}

type Misfit = 'seed' | 'rail' | 'provider' | 'account';

async function choose(
  db: Queryable,
  fingerprint: string,
  { provider, accounts, networks, from }: Omit<WalletChoice, 'makers'>,
): Promise<Misfit | null> {
  const [row] = await db.query<{ misfit: Misfit | null }>('SELECT choose_wallets($1, $2, $3, $4, $5, $6) AS misfit', [
    fingerprint,
    provider,
    JSON.stringify(accounts),
    JSON.stringify(networks),
    from ?? null,
    JSON.stringify(PROVIDER_RAILS),
  ]);
  return row!.misfit;
}

function describeMisfit(
  misfit: Misfit | 'treasury',
  { accountVariables = 'FLORIN_WALLETS' }: Pick<WalletChoice, 'accountVariables'>,
): OtherWallets {
  const texts = {
    seed: 'this database belongs to another wallet seed than the one in FLORIN_WALLET_SEED_FILE',
    rail: 'this build sends from the wallets of a provider in another way than the build that registered it',
    provider: "FLORIN_WALLETS does not name the providers that hold the keys of this database's wallets",
    account: `the wallets of this database are not in the account that is configured (${accountVariables})`,
    treasury: `the treasury of this database has a wallet of another kind than is configured (${accountVariables})`,
  };
  return new OtherWallets(texts[misfit]);
}

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
