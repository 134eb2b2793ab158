import { errorTable, PayError } from '../../core/errors.ts';
import { idFromKey, newId } from '../../core/ids.ts';
import { askForFunding } from '../../customers/wallets/findFundingWallet.ts';
import type { Queryable } from '../../db/database.ts';
import { findWarnings, type Warning } from './findWarnings.ts';
import type { ParsedFile, RowError } from './parseRows.ts';
import { describeFault, type Fault, getPayout, type OnShortage, type Payout } from './payout.ts';
import { type PayoutDestinations, type ResolvedRow, resolveRows } from './resolveRows.ts';

interface CheckApp {
  readonly db: Queryable;
  readonly homeBlockchain: string;
  /** Parses and checks destination addresses. */
  readonly places: PayoutDestinations;
}

interface WantedPayout {
  readonly keyId: string;
  readonly certificate: string | undefined;
  readonly client: string;
  readonly currency: string;
  /** A username or the id of a wallet, or a person. Undefined: the treasury. */
  readonly payer: string | { readonly userId: string } | undefined;
  readonly onShortage: OnShortage;
  readonly file: { readonly contentType: string; readonly bytes: Uint8Array };
  readonly parsed: ParsedFile;
}

type CheckedPayout =
  | { readonly outcome: 'kept'; readonly payout: Payout; readonly warnings: readonly Warning[] }
  | { readonly outcome: 'invalid'; readonly errors: readonly RowError[]; readonly count: number };

/** Payment ids of payouts are derived from this, the payer and the reference. */
export const ROUTE = 'payout';

/**
 * Checks a whole file and stores it; nothing is paid, held or promised. If anything is wrong with a row, nothing is
 * stored and all errors are reported.
 */
export async function checkPayout(app: CheckApp, wanted: WantedPayout): Promise<CheckedPayout> {
  const { db } = app;
  const { parsed } = wanted;
  const payer = await findPayer(db, wanted.payer);
  const idOf = (reference: string) => idFromKey(payer.userId ?? 'treasury', ROUTE, reference);
  const resolved = await resolveRows(app, payer.userId, parsed.rows, idOf);
  const errors = [...parsed.errors, ...resolved.errors].sort((a, b) => a.row - b.row);
  if (errors.length > 0) return { outcome: 'invalid', errors, count: parsed.count };

  const payoutId = newId();
  const { rows } = resolved;
  const known = rows.filter((row) => row.isKnown);
  const [answer] = await db.query<{ refused: { refusal?: Fault; rows?: Record<string, Fault> } | null }>(
    'SELECT create_payout($1, $2, $3) AS refused',
    [
      JSON.stringify({
        id: payoutId,
        currency: wanted.currency,
        key: wanted.keyId,
        certificate: wanted.certificate ?? null,
        client: wanted.client || null,
        payer: payer.userId,
        wallet: payer.walletId,
        on_shortage: wanted.onShortage,
        content_type: wanted.file.contentType,
        known_count: known.length,
        known_total: String(addUp(known)),
      }),
      JSON.stringify(rows.map(encodeRow)),
      wanted.file.bytes,
    ],
  );
  const refused = answer!.refused;
  if (refused) return { outcome: 'invalid', errors: toErrors(refused, rows), count: rows.length };
  const fresh = rows.filter((row) => !row.isKnown);
  return {
    outcome: 'kept',
    payout: await getPayout(db, payoutId, wanted.keyId),
    warnings: await findWarnings(db, {
      currency: wanted.currency,
      payerId: payer.userId,
      keyId: wanted.keyId,
      rows: fresh,
      isPaused: resolved.isPaused,
    }),
  };
}

const addUp = (rows: readonly ResolvedRow[]): bigint => rows.reduce((sum, { amount }) => sum + amount, 0n);

const encodeRow = (row: ResolvedRow) => ({
  id: row.paymentId,
  reference: row.reference,
  username: row.username ?? null,
  person: row.userId ?? null,
  destination: row.destination ?? null,
  blockchain: row.blockchain,
  amount: String(row.amount),
  note: row.note ?? null,
});

interface FoundPayer {
  readonly user_id: string | null;
  readonly wallet_id: string | null;
  readonly refusal: string | null;
  readonly is_closed: boolean;
}

async function findPayer(db: Queryable, payer: WantedPayout['payer']) {
  const text = typeof payer === 'string' ? payer : undefined;
  const isWallet = text !== undefined && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
  const { wallet, username } = askForFunding(isWallet ? { walletId: text } : { walletUsername: text });
  const [row] = await db.query<FoundPayer>(
    `SELECT f.user_id, f.wallet_id, f.refusal, u.closed_at IS NOT NULL AS is_closed
       FROM find_funding_wallet((SELECT home_asset FROM ledger_state), $1, $2, $3) f LEFT JOIN users u USING (user_id)`,
    [wallet, username, typeof payer === 'object' ? payer.userId : null],
  );
  const { user_id: userId, wallet_id: walletId, refusal, is_closed: isClosed } = row!;
  if (isClosed) throw new PayError(isWallet ? 'wallet.unknown' : 'username.unknown');
  // People may be paid before the payer has a wallet; a payer who does not exist cannot pay.
  if (text !== undefined && userId === null && refusal === 'wallet.unknown') throw new PayError('wallet.unknown');
  if (text !== undefined && userId === null && refusal !== null) throw new PayError('username.unknown');
  return { userId: typeof payer === 'object' ? payer.userId : userId, walletId };
}

/** Violations of the key's rules are reported per row, except those about the payer, which concern the whole file. */
function toErrors(
  refused: { refusal?: Fault; rows?: Record<string, Fault> },
  rows: readonly ResolvedRow[],
): RowError[] {
  if (refused.refusal) throw toPayError(refused.refusal);
  const found = Object.entries(refused.rows ?? {});
  const whole = found.find(([, { details }]) => details.what === 'treasury' || details.what === 'wallet');
  if (whole) throw toPayError(whole[1]);
  return found.map(([nth, fault]) => ({
    row: rows[Number.parseInt(nth, 10) - 1]!.row,
    column: fault.details.what === 'destination' ? 'to' : fault.details.what === 'blockchain' ? 'blockchain' : 'amount',
    code: fault.code,
    detail: describeFault(fault),
  }));
}

function toPayError({ code, details }: Fault): PayError {
  if (!Object.hasOwn(errorTable, code)) throw new Error(`a payout was refused with the unknown code ${code}`);
  return new PayError(code as keyof typeof errorTable, details);
}
