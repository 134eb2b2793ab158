/** Verbs of `florin books` that correct the books: one operator proposes, another approves. */
import { PayError } from '../../../core/errors.ts';
import { formatUsdc, parseUsdc } from '../../../core/money.ts';
import {
  applyCorrection,
  createsDifference,
  type Differences,
  readDifferences,
} from '../../../custody/coins/correctionEffect.ts';
import { findWallet } from '../../../custody/findWallet.ts';
import type { Queryable } from '../../../db/database.ts';
import { CURRENCY } from '../../../http/currency.ts';
import { findAsset } from '../../../ledger/assets.ts';
import {
  approveCorrection,
  type CorrectionOutcome,
  findSameCorrections,
  listCorrections,
  proposeCorrection,
  readAvailable,
} from '../../../ledger/corrections.ts';
import { recordAudit } from '../../../operators/recordAudit.ts';
import { describeNotOperator, requireApprover } from '../../program/approvers.ts';
import { type Plan, verb } from '../../program/command.ts';
import { CommandFault, misused, unknown } from '../../program/faults.ts';
import { describePerson, parseBlockchain, parseId } from '../../program/lookups.ts';
import { parseReason, WHY } from '../../program/reason.ts';
import { renderTime, renderUsdc } from '../../program/render.ts';

const FORCE = { type: 'boolean', summary: 'although it creates a difference, which can pause sends' } as const;

export const correct = verb({
  summary: 'Proposes to book a difference to `loss`; another person must approve it',
  about: `--more: the chain has more than the ledger says. With --wallet its owner gets the difference, from the wallet's surplus
coins if there are enough, otherwise from loss. --less: the chain has less. With --wallet its owner loses the difference.
The owner's history shows --why. A correction that creates a difference between chain, coins and ledger, or a larger one, is
refused without --force.`,
  words: ['BLOCKCHAIN'],
  options: {
    more: { type: 'string', value: 'USDC', summary: 'the difference' },
    less: { type: 'string', value: 'USDC', summary: 'the difference' },
    wallet: { type: 'string', value: 'ID', summary: 'whose owner gets or loses it; default: correct only the ledger' },
    force: FORCE,
    why: WHY,
  },
  examples: ['books correct ETH-SEPOLIA --less 1.5 --why "lost in the restore of 3 May"'],
  async plan({ db, allow }, { words: [word = ''], options }) {
    const { more, less } = options;
    if ((more === undefined) === (less === undefined)) throw misused('give either --more or --less');
    const amount = more === undefined ? -parseAmount(less!) : parseAmount(more);
    const walletId = options.wallet === undefined ? undefined : parseId(options.wallet, 'wallet', 'florin wallet show');
    const reason = parseReason(options.why);
    const blockchain = await parseBlockchain(db, word);
    const actor = await allow('approve');
    await requireApprover(db, actor);
    const assetId = await findAsset(db, blockchain, CURRENCY.symbol);
    if (assetId === undefined)
      throw unknown(`this database has no ${CURRENCY.symbol} on ${blockchain}: there is nothing to correct`);
    const wanted = { assetId, walletId, amount, isForced: options.force === true };
    await refuseRepeated(db, wanted);
    const effect = await planEffect(db, wanted);
    return {
      ...effect,
      title: 'Propose this correction. Nothing is booked until another operator approves it.',
      facts: [['correction', describeAmount(amount, blockchain)], ...effect.facts, ['why', reason]],
      async carryOut() {
        const id = await db.tx(async (tx) => {
          const proposed = await proposeCorrection(tx, { assetId, walletId, amount, reason });
          const details = {
            correction_id: proposed,
            amount: formatUsdc(amount),
            reason,
            ...(options.force && { forced: 'true' }),
          };
          if (proposed !== 'not_operator') await recordAudit(tx, { actor, action: 'correction.proposed', details });
          return proposed;
        });
        if (id === 'not_operator') throw await describeNotOperator(db, actor);
        return `Proposed as ${id}.\nAnother person books it: florin books approve ${id}\n`;
      },
    };
  },
});

export const approve = verb({
  summary: 'Books a correction that another person has proposed',
  about: `A correction that creates a difference, for example because someone else has corrected the same one, is refused without
--force.`,
  words: ['CORRECTION'],
  options: { force: FORCE },
  async plan({ db, allow }, { words: [word], options }) {
    const id = parseId(word, 'correction', 'florin books check');
    const actor = await allow('approve');
    await requireApprover(db, actor);
    const correction = (await listCorrections(db)).find((one) => one.correctionId === id);
    if (!correction) throw unknown(OUTCOMES.unknown);
    const { assetId, amount, blockchain, proposedBy, proposedAt, reason } = correction;
    if (`operator:${proposedBy}` === actor) throw new CommandFault(OUTCOMES.same_person);
    const walletId = correction.walletId ?? undefined;
    const wanted = { correctionId: id, assetId, walletId, amount, isForced: options.force === true };
    await refuseRepeated(db, wanted);
    const effect = await planEffect(db, wanted);
    return {
      ...effect,
      title: 'Book this correction.',
      facts: [
        ['correction', describeAmount(amount, blockchain)],
        ...effect.facts,
        ['why', reason],
        ['proposed by', `${proposedBy} at ${renderTime(proposedAt)}`],
      ],
      async carryOut() {
        // PostgreSQL checks the difference again, because someone may have booked another correction meanwhile.
        const outcome = await approveCorrection(db, id, wanted);
        if (outcome === 'unknown') throw unknown(OUTCOMES.unknown);
        if (outcome === 'not_operator') throw await describeNotOperator(db, actor);
        if (outcome !== 'booked') throw new CommandFault(OUTCOMES[outcome]);
        return 'Booked.\n';
      },
    };
  },
});

const OUTCOMES: Readonly<Record<Exclude<CorrectionOutcome, 'booked' | 'not_operator'>, string>> = {
  unknown: 'there is no such correction, or it is already booked: florin books check',
  insufficient: 'the owner has less than that',
  same_person: 'you proposed it yourself; another person must approve it',
  difference: `it would create a difference now, because something has changed since its plan. Nothing was changed: florin reconcile, florin books check`,
  repeated:
    'the same amount for the same wallet has been booked since its plan. Nothing was changed: florin books check',
};

interface Wanted {
  /** A correction that is proposed already. */
  readonly correctionId?: string;
  readonly assetId: number;
  readonly walletId: string | undefined;
  readonly amount: bigint;
  readonly isForced: boolean;
}

/** The differences before and after. Throws if it would create one, unless that is wanted. */
async function planEffect(
  db: Queryable,
  { assetId, walletId, amount, isForced }: Wanted,
): Promise<Required<Pick<Plan, 'facts' | 'changes' | 'warning'>>> {
  const before = await readDifferences(db, assetId, walletId);
  const after = applyCorrection(before, amount, walletId !== undefined);
  const changes = renderDifferences(before, after);
  const isCreated = createsDifference(before, after);
  if (isCreated && !isForced) throw refuseEffect(changes);
  const wallet = walletId === undefined ? undefined : await findWallet(db, walletId);
  if (walletId !== undefined && wallet?.walletId !== walletId) throw unknown(`${walletId} is not one of our wallets`);
  const owner = wallet && (await planOwner(db, assetId, wallet.userId, amount));
  const facts: Plan['facts'] = wallet
    ? [
        ['owner', wallet.userId ? await describePerson(db, wallet.userId) : 'the service (treasury)'],
        ['loss bears it', after.ofWallet === before.ofWallet ? 'yes' : 'no, the coins of the wallet do'],
      ]
    : [['booked to', 'loss; no person gets or loses anything']];
  const warning = isCreated
    ? 'it creates a difference (--force). Missing coins pause all sends on this blockchain'
    : owner?.warning;
  return { facts, changes: [...(owner ? [owner.change] : []), ...changes], warning };
}

function refuseEffect(changes: ReturnType<typeof renderDifferences>): CommandFault {
  const lines = changes.map((one) => `${one.what}: ${one.before} → ${one.after}`);
  return new CommandFault(
    `it would create a difference, and missing coins pause all sends on this blockchain. Nothing was changed.\n${lines.join('\n')}\nCompare first: florin reconcile, florin books check. If you want the difference: --force`,
  );
}

/**
 * A correction for a wallet changes only what its owner and `loss` have, so booking it twice shows in no difference. When
 * it is proposed, others that wait count too.
 */
async function refuseRepeated(db: Queryable, { correctionId, assetId, walletId, amount, isForced }: Wanted) {
  if (walletId === undefined || isForced) return;
  const bookedOnly = correctionId !== undefined;
  const [same] = await findSameCorrections(db, { correctionId, assetId, walletId, amount }, { bookedOnly });
  if (!same) return;
  const when = same.bookedAt ? `was booked at ${renderTime(same.bookedAt)}` : 'waits for a second operator';
  throw new CommandFault(
    `the same amount for the same wallet ${when} (${same.correctionId}). Nothing was changed. If it is owed again: --force`,
  );
}

async function planOwner(db: Queryable, assetId: number, userId: string | null, amount: bigint) {
  const available = await readAvailable(db, assetId, userId);
  const after = available + amount;
  return {
    change: { what: 'their balance', before: renderUsdc(available), after: renderUsdc(after) },
    warning: after < 0n ? 'the owner has less than that, so it cannot be booked now' : undefined,
  };
}

const renderDifferences = (before: Differences, after: Differences) =>
  (
    [
      ['coins − ledger', 'counted'],
      ['surplus on chain', 'surplus'],
      ['missing on chain', 'missing'],
    ] as const
  )
    .filter(([, name]) => name === 'counted' || before[name] !== 0n)
    .map(([what, name]) => ({ what, before: renderUsdc(before[name]), after: renderUsdc(after[name]) }));

const describeAmount = (amount: bigint, blockchain: string): string =>
  `the chain has ${renderUsdc(amount < 0n ? -amount : amount)} ${amount < 0n ? 'less' : 'more'} on ${blockchain}`;

function parseAmount(text: string): bigint {
  try {
    const amount = parseUsdc(text);
    if (amount > 0n) return amount;
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
  }
  throw misused(`"${text}" is not an amount of USDC above 0`);
}
