import { PayError } from '../../core/errors.ts';
import { isUsername } from '../../core/isUsername.ts';
import type { Queryable } from '../../db/database.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/**
 * A wallet id and a username that do not exist. Invalid ids and names are replaced by them, so that the search finds
 * nothing.
 */
const NO_WALLET = '00000000-0000-0000-0000-000000000000';
const UNKNOWN_NAME = '';

/** The fields with which a caller names the payer. */
interface Payer {
  readonly walletId?: string | undefined;
  readonly walletUsername?: string | undefined;
  /** The person who pays from their own wallet. */
  readonly payerId?: string | undefined;
}

/** The same as parameters of `find_funding_wallet`. */
export const askForFunding = ({ walletId, walletUsername: name, payerId }: Payer) => ({
  wallet: walletId === undefined ? null : UUID.test(walletId) ? walletId : NO_WALLET,
  username: name === undefined ? null : isUsername(name) ? name.toLowerCase() : UNKNOWN_NAME,
  person: payerId ?? null,
});

export const FUNDING_REFUSALS = ['wallet.unknown', 'wallet.pending', 'username.unknown', 'wallet.unspecified'] as const;

/**
 * Returns the wallet that pays in this asset: that of the given person, else of the given wallet's owner, else of the
 * username, else the treasury's. Old names and replaced wallets lead to their owner.
 */
export async function getFundingWallet(db: Queryable, assetId: number, payer: Payer): Promise<string> {
  const { wallet, username, person } = askForFunding(payer);
  const [row] = await db.query<{ wallet_id: string; refusal: (typeof FUNDING_REFUSALS)[number] | null }>(
    'SELECT wallet_id, refusal FROM find_funding_wallet($1, $2, $3, $4)',
    [assetId, wallet, username, person],
  );
  if (row!.refusal) throw new PayError(row!.refusal);
  return row!.wallet_id;
}
