import { readHash } from '../../../core/families.ts';
import { formatUsdc } from '../../../core/money.ts';
import {
  explainAsLoss,
  explainAsSettlement,
  listUnexplained,
  type UnexplainedMove,
} from '../../../custody/watch/unexplainedMoves.ts';
import type { Tx } from '../../../db/database.ts';
import { type AuditActor, recordAudit } from '../../../operators/recordAudit.ts';
import { importedId, importPayment } from '../../../payments/sends/importPayment.ts';
import { verb } from '../../program/command.ts';
import { misused, unknown } from '../../program/faults.ts';

const KINDS = ['payment', 'settlement', 'loss'] as const;
type Kind = (typeof KINDS)[number];

export const importMoves = verb({
  says: 'Records coins that left our wallets without a payment here, all of them or one',
  about: `After a restore (docs/operating/restore.md), or when somebody has used the provider's console. florin books check shows
them. Each becomes a payment of the wallet's owner, whatever they may and have, or a loss of the house. A move between two
wallets of ours is imported alone, and you say what it was.`,
  words: ['[HASH]', '[INDEX]'],
  options: {
    as: {
      type: 'string',
      value: 'KIND',
      says: 'payment; of a move between two wallets of ours settlement (nobody paid), of another loss',
    },
  },
  examples: ['payment import', 'payment import 0x52ab… 3 --as settlement', 'payment import 0x52ab… 3 --as loss'],
  async run({ db, allow, say }, { words: [txHash, logIndex], options }) {
    if ((txHash === undefined) !== (logIndex === undefined))
      throw misused('name one by both HASH and INDEX, or all by none');
    const kind = parseKind(options.as);
    if (kind === 'loss' && txHash === undefined) throw misused('name the one that is a loss by HASH and INDEX');
    const hash = txHash && (readHash(txHash) ?? txHash);
    const actor = await allow('custody');
    const all = await listUnexplained(db);
    const chosen = all.filter((one) => !hash || (one.txHash === hash && String(one.logIndex) === logIndex));
    if (txHash && chosen.length === 0)
      throw unknown(`${txHash} ${logIndex} is not among the unexplained: florin books check`);
    let isAll = true;
    for (const move of chosen) {
      const imported = await db.tx((tx) => importMove(tx, move, kind, actor));
      say(
        `${move.txHash} ${move.logIndex}: ${imported ?? `not imported. ${describeDoubt(move) || 'It did not go to a wallet of ours'}`}`,
      );
      isAll &&= imported !== undefined;
    }
    return { text: chosen.length === 0 ? 'There is nothing to import.\n' : '', isBad: !isAll };
  },
});

function parseKind(text: string | undefined): Kind | undefined {
  const kind = KINDS.find((one) => one === text);
  if (text !== undefined && !kind) throw misused(`--as is ${KINDS.join(' or ')}`);
  return kind;
}

/** `unclear`: between two wallets of ours, and nothing on the chain says whether somebody was paid by it. */
const whatIs = ({ isSettlement, toWallet, hasNonce }: UnexplainedMove): 'send' | 'unclear' | 'settlement' =>
  isSettlement ? 'settlement' : toWallet && !hasNonce ? 'unclear' : 'send';

/** Why an import needs a person's word, or has to wait; empty: it does not. */
export const describeDoubt = (move: UnexplainedMove): string => DOUBTS[whatIs(move)];

const DOUBTS = {
  send: '',
  unclear:
    'Both wallets are ours: say what it was, florin payment import HASH INDEX --as settlement (nobody paid) or --as payment',
  settlement: 'It is a settlement to somebody who registered after the backup, and counts when they log in again',
} as const;

/** What it became, in words; undefined when it is not imported. */
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
    return 'a settlement; nobody was debited or credited';
  }
  if (said === 'loss') {
    if (!(await explainAsLoss(tx, move))) return undefined;
    await audit({ as: 'loss', log_index: String(logIndex) });
    return 'a loss of the house; nobody was debited';
  }
  if (whatIs(move) !== 'send' && said !== 'payment') return undefined;
  const imported = await importPayment(tx, importedId(move), move);
  if (!imported) return undefined;
  const { importedAs, owes } = imported;
  await audit({ payment_id: importedAs, owes: formatUsdc(owes) });
  return `payment ${importedAs}${owes > 0n ? `; its sender owes ${formatUsdc(owes)} USDC (florin books check)` : ''}`;
}
