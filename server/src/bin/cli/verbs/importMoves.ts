import { readHash } from '../../../core/families.ts';
import { formatUsdc } from '../../../core/money.ts';
import { findWallet } from '../../../custody/findWallet.ts';
import {
  explainAsLoss,
  explainAsSettlement,
  listUnexplained,
  type UnexplainedMove,
} from '../../../custody/watch/unexplainedMoves.ts';
import type { Tx } from '../../../db/database.ts';
import { listPauses } from '../../../operators/pauses.ts';
import { type AuditActor, recordAudit } from '../../../operators/recordAudit.ts';
import { importedId, importPayment } from '../../../payments/tracking/importPayment.ts';
import { verb } from '../../program/command.ts';
import { misused, unknown } from '../../program/faults.ts';
import { describePerson, parseWord } from '../../program/lookups.ts';
import { renderUsdc } from '../../program/render.ts';

const KINDS = ['payment', 'settlement', 'loss'] as const;
type Kind = (typeof KINDS)[number];

export const importMoves = verb({
  summary: 'Records coins that left our wallets without a payment, all moves or one',
  about: `For use after a restore (docs/operating/restore.md), or after someone has used the provider's console. florin books check
shows the moves. Each becomes a payment of the wallet's owner, regardless of limits and balance, or a loss of the service. A
move between two of our wallets is imported by itself, and you decide what it was.`,
  words: ['[HASH]', '[INDEX]'],
  options: {
    as: {
      type: 'string',
      value: 'KIND',
      summary: 'payment; for a move between two of our wallets also settlement, for others also loss',
    },
  },
  examples: ['payment import', 'payment import 0x52ab… 3 --as settlement', 'payment import 0x52ab… 3 --as loss'],
  async plan({ db, allow, say }, { words: [txHash, logIndex], options }) {
    if ((txHash === undefined) !== (logIndex === undefined))
      throw misused('give both HASH and INDEX for one move, or neither for all moves');
    const kind = parseKind(options.as);
    if (kind === 'loss' && txHash === undefined) throw misused('a loss needs HASH and INDEX');
    const hash = txHash && (readHash(txHash) ?? txHash);
    const actor = await allow('custody');
    const all = await listUnexplained(db);
    const chosen = all.filter((one) => !hash || (one.txHash === hash && String(one.logIndex) === logIndex));
    if (txHash && chosen.length === 0)
      throw unknown(`${txHash} ${logIndex} is not an unexplained move: florin books check`);
    if (chosen.length === 0) return 'There is nothing to import.\n';
    const changes: { what: string; before: string; after: string }[] = [];
    for (const move of chosen) {
      const wallet = await findWallet(db, move.walletId);
      const owner = wallet?.userId ? await describePerson(db, wallet.userId) : 'the service (treasury)';
      changes.push({
        what: `${move.txHash.slice(0, 12)}… ${move.logIndex}`,
        before: `${renderUsdc(move.amount)} left the wallet of ${owner}, to ${move.toAddress}, unexplained`,
        after: describeImport(move, kind),
      });
    }
    return {
      title: `Record ${chosen.length === 1 ? 'this move' : `these ${chosen.length} moves`}. This cannot be undone.`,
      changes,
      async carryOut() {
        let isAll = true;
        for (const move of chosen) {
          const imported = await db.tx((tx) => importMove(tx, move, kind, actor));
          say(
            `${move.txHash} ${move.logIndex}: ${imported ?? `not imported. ${describeDoubt(move) || 'It did not go to one of our wallets'}`}`,
          );
          isAll &&= imported !== undefined;
        }
        for (const { scope, cause } of await listPauses(db)) {
          if (cause === 'drift' || cause === 'unexplained')
            say(`${scope} is still paused for ${cause}: florin doctor says what ends it`);
        }
        return { text: '', isBad: !isAll };
      },
    };
  },
});

function describeImport(move: UnexplainedMove, kind: Kind | undefined): string {
  if (kind === 'settlement') return 'a settlement between our wallets; no one is debited or credited';
  if (kind === 'loss') return 'a loss of the service; no one is debited';
  if (kind === undefined && whatIs(move) !== 'send') return `not imported. ${describeDoubt(move)}`;
  return 'a payment of this owner, regardless of limits; what they do not have becomes a debt';
}

const parseKind = (text: string | undefined): Kind | undefined =>
  text === undefined ? undefined : parseWord(text, '--as', KINDS);

/** `unclear`: between two of our wallets, and nothing on the chain shows whether the move paid someone. */
const whatIs = ({ isSettlement, toWallet, hasNonce }: UnexplainedMove): 'send' | 'unclear' | 'settlement' =>
  isSettlement ? 'settlement' : toWallet && !hasNonce ? 'unclear' : 'send';

/** Why an import needs an operator's decision or must wait; empty if neither. */
export const describeDoubt = (move: UnexplainedMove): string => DOUBTS[whatIs(move)];

const DOUBTS = {
  send: '',
  unclear:
    'Both wallets are ours. Decide what it was: florin payment import HASH INDEX --as settlement (no one was paid) or --as payment',
  settlement: 'It is a settlement to a person who registered after the backup. It counts when they log in again',
} as const;

/** The result in words; undefined if the move was not imported. */
async function importMove(
  tx: Tx,
  move: UnexplainedMove,
  said: Kind | undefined,
  actor: AuditActor,
): Promise<string | undefined> {
  const { txHash, logIndex } = move;
  const audit = (details: Record<string, string>) =>
    recordAudit(tx, { actor, action: 'custody.imported', details: { ...details, tx_hash: txHash } });
  if (said === 'settlement') {
    if (!(await explainAsSettlement(tx, move))) return undefined;
    await audit({ as: 'settlement', log_index: String(logIndex) });
    return 'a settlement; no one was debited or credited';
  }
  if (said === 'loss') {
    if (!(await explainAsLoss(tx, move))) return undefined;
    await audit({ as: 'loss', log_index: String(logIndex) });
    return 'a loss of the service; no one was debited';
  }
  if (whatIs(move) !== 'send' && said !== 'payment') return undefined;
  const imported = await importPayment(tx, importedId(move), move);
  if (!imported) return undefined;
  const { importedAs, owes } = imported;
  await audit({ payment_id: importedAs, owes: formatUsdc(owes) });
  return `payment ${importedAs}${owes > 0n ? `; its sender owes ${formatUsdc(owes)} USDC (florin books check)` : ''}`;
}
