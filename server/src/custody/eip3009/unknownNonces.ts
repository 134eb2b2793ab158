import { newId } from '../../core/ids.ts';
import type { Hex, TokenLog } from '../../core/ports.ts';
import type { Tx } from '../../db/database.ts';
import { insertMove, type KnownMove } from '../coins/moves.ts';
import { UNEXPLAINED_COLUMNS, type UnexplainedMove } from '../watch/unexplainedMoves.ts';
import { findSettlementId, insertAuthorization, nonceOf, nonceOfMove, toBytes, toHex } from './authorizations.ts';
import { isNonceLog, isTransferOf, type NonceLog, nonceKey, pairUses, readKnown, type UsedNonce } from './nonceLogs.ts';

/**
 * Handles final logs of authorizations that this database does not know, because it was restored from before they were
 * signed. If an authorization can be recognized, its move is recorded; the others are stored for clients that repeat a
 * payment's id. Returns the moves that are recorded as ended.
 */
export async function recoverFromLogs(
  tx: Tx,
  assetId: number,
  logs: readonly TokenLog[],
  wallets: ReadonlyMap<string, string>,
): Promise<string[]> {
  const nonceLogs = logs.filter(isNonceLog).filter(({ authorizer }) => wallets.has(authorizer.toLowerCase()));
  const known = await readKnown(tx, assetId, nonceLogs);
  const uses = new Map([...pairUses(logs).values()].map((use) => [use.used, use]));
  const unknown = nonceLogs.filter((log) => {
    const move = known.get(nonceKey(log.authorizer, log.nonce));
    return !move || !isOf(move, log, uses);
  });
  if (unknown.length === 0) return [];
  const unheard = await skipRemembered(tx, assetId, unknown);
  const open = new Set(await recognizeMoves(tx, assetId, unknown, uses));
  const payments = await recognizePayments(tx, assetId, unknown, uses);
  const ended = [...payments.values()];
  for (const log of unknown) {
    if (open.has(log) || payments.has(log)) continue;
    const use = uses.get(log);
    const settlement = use && (await recognizeSettlement(tx, assetId, use, wallets));
    if (settlement) ended.push(settlement);
    else await remember(tx, assetId, log, use, wallets);
  }
  const newest = unheard.at(-1);
  if (newest) await noteRestore(tx, assetId, newest);
  return ended;
}

type Uses = ReadonlyMap<NonceLog, UsedNonce>;

/** Whether the log belongs to this move. A cancellation has no amount, so it matches every move with its nonce. */
function isOf(move: { readonly to: string; readonly amount: bigint }, log: NonceLog, uses: Uses): boolean {
  const use = uses.get(log);
  return use === undefined || isTransferOf(move, use);
}

/** A rescan of a wallet returns nonces that this database has already stored. */
async function skipRemembered(tx: Tx, assetId: number, logs: readonly NonceLog[]): Promise<NonceLog[]> {
  const rows = await tx.query<{ nonce: Buffer }>(
    'SELECT nonce FROM forgotten_nonces WHERE asset_id = $1 AND nonce = ANY ($2)',
    [assetId, logs.map(({ nonce }) => toBytes(nonce))],
  );
  const remembered = new Set(rows.map(({ nonce }) => toHex(nonce)));
  return logs.filter(({ nonce }) => !remembered.has(nonce.toLowerCase() as Hex));
}

/**
 * A restore that was recorded after the earliest possible signing explains it: relay transactions from before may be
 * mined much later.
 */
async function noteRestore(tx: Tx, assetId: number, { nonce, blockNumber }: NonceLog): Promise<void> {
  const reason = `coins left a wallet of ours with a signature that this database does not know (authorization ${nonce})`;
  await tx.query('SELECT note_restore($1, signed_after($2, $3))', [reason, assetId, blockNumber]);
}

/** The database knows that coins were reserved for the move, but not that it was signed. */
async function recognizeMoves(tx: Tx, assetId: number, logs: readonly NonceLog[], uses: Uses): Promise<NonceLog[]> {
  const unsigned = await tx.query<Pick<KnownMove, 'moveId' | 'purpose' | 'amount'> & { from: string; to: string }>(
    `SELECT m.move_id AS "moveId", m.purpose, m.amount, m.from_address AS from, m.to_address AS to FROM coin_moves m
      WHERE m.asset_id = $1 AND m.rail = 'eip3009' AND m.state = 'open'
        AND NOT EXISTS (SELECT FROM authorizations a WHERE a.move_id = m.move_id)`,
    [assetId],
  );
  const found: NonceLog[] = [];
  for (const { log, one } of join(logs, uses, unsigned, nonceOfMove)) {
    await tx.query('UPDATE coin_moves SET started_at = coalesce(started_at, clock_timestamp()) WHERE move_id = $1', [
      one.moveId,
    ]);
    await insertAuthorization(tx, one.moveId, log.nonce);
    found.push(log);
  }
  return found;
}

interface Accepted {
  readonly paymentId: string;
  readonly walletId: string;
  readonly amount: bigint;
  readonly from: string;
  readonly to: string;
}

/** The database knows that the payment was accepted, but not that it was signed, or even approved. */
async function recognizePayments(
  tx: Tx,
  assetId: number,
  logs: readonly NonceLog[],
  uses: Uses,
): Promise<Map<NonceLog, string>> {
  const accepted = await tx.query<Accepted>(
    `SELECT p.payment_id AS "paymentId", p.wallet_id AS "walletId", p.destination AS to,
            coalesce(p.amount, t.amount) AS amount, w.address AS from
       FROM payments p JOIN transfers t ON t.transfer_id = p.payment_id AND t.kind = 'hold'
       JOIN wallets w ON w.wallet_id = p.wallet_id
      WHERE t.asset_id = $1 AND payment_is_unreserved(p.state)
        AND NOT EXISTS (SELECT FROM coin_moves m WHERE m.move_id = p.payment_id)`,
    [assetId],
  );
  const found = new Map<NonceLog, string>();
  for (const { log, one } of join(logs, uses, accepted, ({ paymentId }) => nonceOf(paymentId))) {
    const { paymentId, walletId, amount, from, to } = one;
    const { kind, nonce, txHash, blockNumber } = log;
    await insertMove(tx, {
      moveId: paymentId,
      assetId,
      from: { walletId, address: from, rail: 'eip3009' },
      toAddress: to,
      amount,
      reserved: 0n,
      ended: { state: kind === 'used' ? 'done' : 'dead', txHash, blockNumber },
    });
    await insertAuthorization(tx, paymentId, nonce);
    found.set(log, paymentId);
  }
  return found;
}

/** Returns those whose nonce was seen, from the right wallet, with a transfer of the same amount and destination. */
function join<One extends { readonly from: string; readonly to: string; readonly amount: bigint }>(
  logs: readonly NonceLog[],
  uses: Uses,
  some: readonly One[],
  nonceOfOne: (one: One) => Hex,
): { readonly log: NonceLog; readonly one: One }[] {
  const seen = new Map(logs.map((log) => [nonceKey(log.authorizer, log.nonce), log]));
  return some.flatMap((one) => {
    const log = seen.get(nonceKey(one.from, nonceOfOne(one)));
    return log && isOf(one, log, uses) ? [{ log, one }] : [];
  });
}

/**
 * Recognizes a settlement that this database does not know, between two of our wallets, and returns its move. A
 * settlement to an address that is not (or not yet) ours stays unexplained: coins have left us. So does one that was
 * credited as a deposit while the sending wallet was not registered (again): it counted as a payment then, and its
 * import debits the sender.
 */
async function recognizeSettlement(
  tx: Tx,
  assetId: number,
  { used, transfer }: UsedNonce,
  wallets: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const moveId = findSettlementId(used.nonce);
  const walletId = wallets.get(transfer.from.toLowerCase());
  const toWallet = wallets.get(transfer.to.toLowerCase());
  if (!moveId || !walletId || !toWallet || transfer.amount === 0n) return undefined;
  // The id belongs to another wallet's move: this nonce is not ours, even if it has our tag.
  const [other] = await tx.query('SELECT FROM coin_moves WHERE move_id = $1', [moveId]);
  if (other) return undefined;
  const [credited] = await tx.query<{ is_credited: boolean }>(
    'SELECT is_credited_transfer($1, $2, $3, $4, $5) AS is_credited',
    [assetId, transfer.txHash, transfer.logIndex, transfer.amount, toWallet],
  );
  if (credited!.is_credited) return undefined;
  const settlementId = newId();
  // Which payments it settled is unknown. The next settlement covers them.
  await tx.query(
    `INSERT INTO settlements (settlement_id, asset_id, completed_at)
     VALUES ($1, $2, date_trunc('milliseconds', clock_timestamp()))`,
    [settlementId, assetId],
  );
  await insertMove(tx, {
    moveId,
    assetId,
    from: { walletId, address: transfer.from, rail: 'eip3009' },
    toAddress: transfer.to,
    amount: transfer.amount,
    reserved: 0n,
    settlement: { settlementId, toWallet },
    ended: { state: 'done', txHash: transfer.txHash, blockNumber: transfer.blockNumber },
  });
  await insertAuthorization(tx, moveId, used.nonce);
  // It was unexplained while the receiving wallet was not registered (again).
  await tx.query('SELECT end_unexplained_at($1, $2, $3, $4)', [assetId, transfer.txHash, transfer.logIndex, moveId]);
  return moveId;
}

/** A reorg may have moved the log to another position, or replaced a use by a cancellation. */
async function remember(
  tx: Tx,
  assetId: number,
  log: NonceLog,
  use: UsedNonce | undefined,
  wallets: ReadonlyMap<string, string>,
): Promise<void> {
  const { authorizer, kind, nonce, txHash, blockNumber, logIndex } = log;
  await tx.query(
    `INSERT INTO forgotten_nonces (asset_id, nonce, kind, tx_hash, log_index, block_number, wallet_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (asset_id, nonce) DO UPDATE
       SET kind = excluded.kind, tx_hash = excluded.tx_hash, log_index = excluded.log_index,
           block_number = excluded.block_number, wallet_id = excluded.wallet_id`,
    [
      assetId,
      toBytes(nonce),
      kind,
      txHash,
      kind === 'used' ? (use?.transfer.logIndex ?? logIndex + 1) : null,
      blockNumber,
      wallets.get(authorizer.toLowerCase()),
    ],
  );
}

/** An unexplained move and its blockchain. */
export interface PaidMove extends UnexplainedMove {
  readonly blockchain: string;
}

/** Finds the unexplained move under this payment's nonce, if the payment was made before the database was restored. */
export async function findPaid(tx: Tx, paymentId: string): Promise<PaidMove | undefined> {
  const [row] = await tx.query<PaidMove>(
    `SELECT ${UNEXPLAINED_COLUMNS}, n.blockchain
       FROM forgotten_nonces f JOIN unexplained_moves u USING (asset_id, tx_hash, log_index)
       JOIN assets USING (asset_id) JOIN networks n USING (network_id)
      WHERE f.nonce = $1`,
    [toBytes(nonceOf(paymentId))],
  );
  return row;
}
