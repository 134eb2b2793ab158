import { formatUsdc } from '../../../core/money.ts';
import {
  cancelSettlement,
  previewCancellation,
  type SettlementCancelled,
} from '../../../custody/provider/cancelSettlement.ts';
import {
  approveTransferEnd,
  type DecisionOutcome,
  findProposal,
  type HeldTransfer,
  listHeldTransfers,
  proposeTransferEnd,
} from '../../../custody/provider/heldTransfers.ts';
import { nameOf, recordAudit } from '../../../operators/recordAudit.ts';
import { describeNotOperator, requireApprover } from '../../program/approvers.ts';
import { type Context, type Fact, type Noun, type Plan, verb } from '../../program/command.ts';
import { CommandFault, unknown } from '../../program/faults.ts';
import { parseId } from '../../program/lookups.ts';
import { parseReason, WHY } from '../../program/reason.ts';
import { renderFields, renderTime, renderUsdc } from '../../program/render.ts';

const held = verb({
  summary: 'Shows held transfers: their provider does not know whether it made them',
  about: `They are not requested again, because that could pay twice. Search for each at the provider (wallet, destination, amount,
time, reference) and on the chain, then run transfer adopt or transfer never-made. Exit code 1 while there are any.`,
  reads: true,
  async run({ db }) {
    const all = await listHeldTransfers(db);
    const text = all.map((one) =>
      renderFields([
        ['move', one.moveId],
        ['what', one.purpose === 'send' ? 'a payment: see florin payment show' : 'a settlement between our wallets'],
        ['at', `${one.provider}, ${one.blockchain}; reference ${one.moveId}`],
        ['amount', renderUsdc(one.amount)],
        ['from', `${one.from} (wallet reference ${one.reference})`],
        ['to', one.to],
        [
          'asked',
          `${one.attempts} times since ${one.firstAskedAt.toISOString()}; held since ${one.heldAt.toISOString()}`,
        ],
        ['its provider named', one.txHash ?? undefined],
        [
          'on the chain',
          one.hashes.length > 0 ? `may be ${one.hashes.join(', ')}` : 'nothing that fits, in final blocks',
        ],
        ...renderDecision(one.decision),
      ]),
    );
    return {
      text: all.length > 0 ? text.join('\n') : 'No transfers are held.\n',
      isBad: all.length > 0,
      json: {
        held: all.map((one) => ({
          move_id: one.moveId,
          purpose: one.purpose,
          provider: one.provider,
          blockchain: one.blockchain,
          amount: formatUsdc(one.amount),
          from: one.from,
          wallet_reference: one.reference,
          to: one.to,
          attempts: one.attempts,
          first_asked_at: one.firstAskedAt.toISOString(),
          held_at: one.heldAt.toISOString(),
          named_tx_hash: one.txHash,
          tx_hashes: one.hashes,
          decision_id: one.decision?.id ?? null,
          verdict: one.decision?.verdict ?? null,
          approved_by: one.decision?.approvedBy ?? null,
        })),
      },
    };
  },
});

function renderDecision(decision: HeldTransfer['decision']): readonly (readonly [string, string])[] {
  if (!decision) return [];
  const { id, verdict, by, approvedBy, reason } = decision;
  return approvedBy === null
    ? [['proposed', `${verdict} by ${by} (${reason}): florin transfer approve ${id}`]]
    : [['decided', `${verdict} by ${by} and ${approvedBy} (${reason}): ends when final blocks do not show it`]];
}

async function propose(
  { db, allow }: Context,
  wanted: { readonly moveId: string; readonly providerId: string | undefined; readonly reason: string },
): Promise<Plan> {
  const actor = await allow('approve');
  await requireApprover(db, actor);
  const transfer = (await listHeldTransfers(db)).find((one) => one.moveId === wanted.moveId);
  const refuse = () => unknown(`no transfer ${wanted.moveId} is held: florin transfer held`);
  if (!transfer) throw refuse();
  return {
    title: `Propose that the provider ${wanted.providerId ? 'made this transfer' : 'never made this transfer'}. Another operator decides.`,
    facts: [...describeTransfer(transfer), ['id at its provider', wanted.providerId], ['why', wanted.reason]],
    changes: [
      { what: 'after approval', before: 'held', after: describeVerdict(wanted.providerId ? 'adopt' : 'never_made') },
    ],
    async carryOut() {
      const outcome = await db.tx(async (tx) => {
        const proposed = await proposeTransferEnd(tx, wanted);
        const details = { move_id: wanted.moveId, provider_id: wanted.providerId ?? null, reason: wanted.reason };
        if (typeof proposed === 'object') await recordAudit(tx, { actor, action: 'transfer.end_proposed', details });
        return proposed;
      });
      if (outcome === 'not_operator') throw await describeNotOperator(db, actor);
      if (outcome === 'unknown') throw refuse();
      return `Proposed as ${outcome.id}.\nAnother person decides it: florin transfer approve ${outcome.id}\n`;
    },
  };
}

const describeVerdict = (verdict: string): string =>
  verdict === 'adopt'
    ? 'it continues under the id of its provider'
    : 'it ends when final blocks do not show it, and its money is available again';

const describeTransfer = (one: HeldTransfer): readonly Fact[] => [
  ['move', one.moveId],
  ['what', one.purpose === 'send' ? 'a payment: see florin payment show' : 'a settlement between our wallets'],
  ['amount', `${renderUsdc(one.amount)} on ${one.blockchain}, at ${one.provider}`],
  ['from', one.from],
  ['to', one.to],
  ['on the chain', one.hashes.length > 0 ? `may be ${one.hashes.join(', ')}` : 'nothing that fits, in final blocks'],
];

const adopt = verb({
  summary: 'Proposes that the provider made a held transfer, under this id',
  words: ['MOVE', 'PROVIDER_ID'],
  options: { why: WHY },
  plan: (context, { words: [move, providerId], options }) =>
    propose(context, {
      moveId: parseId(move, 'held transfer', 'florin transfer held'),
      providerId: parseId(providerId, 'transfer of the provider', "the provider's console"),
      reason: parseReason(options.why),
    }),
});

const neverMade = verb({
  summary: 'Proposes that the provider never made a held transfer',
  about:
    'The transfer ends, and its money is available again, when final blocks show that it is not on the chain either.',
  words: ['MOVE'],
  options: { why: WHY },
  plan: (context, { words: [move], options }) =>
    propose(context, {
      moveId: parseId(move, 'held transfer', 'florin transfer held'),
      providerId: undefined,
      reason: parseReason(options.why),
    }),
});

const approve = verb({
  summary: 'Approves what another person has proposed about a held transfer',
  words: ['DECISION'],
  async plan({ db, allow }, { words: [word] }) {
    const id = parseId(word, 'decision', 'florin transfer held');
    const actor = await allow('approve');
    await requireApprover(db, actor);
    const decision = await findProposal(db, id);
    const transfer = (await listHeldTransfers(db)).find((one) => one.moveId === decision?.moveId);
    if (!transfer || !decision) throw unknown(OUTCOMES.unknown);
    if (decision.by === nameOf(actor)) throw new CommandFault(OUTCOMES.same_person);
    return {
      title: `Approve that the provider ${decision.verdict === 'adopt' ? 'made this transfer' : 'never made this transfer'}.`,
      facts: [
        ...describeTransfer(transfer),
        ['id at its provider', decision.providerId ?? undefined],
        ['why', decision.reason],
        ['proposed by', decision.by],
      ],
      changes: [{ what: 'state', before: 'held', after: describeVerdict(decision.verdict) }],
      warning:
        decision.verdict !== 'adopt' && transfer.hashes.length > 0
          ? 'the chain shows a transfer that may be this one'
          : undefined,
      async carryOut() {
        const outcome = await db.tx(async (tx) => {
          const decided = await approveTransferEnd(tx, id);
          if (decided === 'decided')
            await recordAudit(tx, { actor, action: 'transfer.end_decided', details: { decision_id: id } });
          return decided;
        });
        if (outcome === 'unknown') throw unknown(OUTCOMES.unknown);
        if (outcome === 'not_operator') throw await describeNotOperator(db, actor);
        if (outcome !== 'decided') throw new CommandFault(OUTCOMES[outcome]);
        return 'Decided.\n';
      },
    };
  },
});

const cancel = verb({
  summary: 'Cancels a transfer between our own wallets that its provider has not finished',
  about: `Asks its provider to stop it. It ends when the provider and the chain agree that it did not happen, or when it does
happen. The next settlement may move the same coins again.`,
  words: ['MOVE'],
  async plan({ db, allow }, { words: [word] }) {
    const moveId = parseId(word, 'transfer', 'florin transfer held');
    const actor = await allow('cancel');
    const settlement = await previewCancellation(db, moveId);
    if (typeof settlement === 'string') return describeCancelled(settlement, moveId);
    const { blockchain, amount, provider, from, to, createdAt, providerState } = settlement;
    return {
      title: 'Cancel this transfer between our own wallets.',
      facts: [
        ['move', moveId],
        ['amount', `${renderUsdc(amount)} on ${blockchain}, at ${provider}`],
        ['from', from],
        ['to', to],
        ['since', renderTime(createdAt)],
      ],
      changes: [
        {
          what: 'state',
          before: `its provider sends it (${providerState ?? 'new'})`,
          after: 'its provider is asked to stop it. It may be too late',
        },
      ],
      carryOut: async () => describeCancelled(await db.tx((tx) => cancelSettlement(tx, moveId, actor)), moveId),
    };
  },
});

function describeCancelled(outcome: SettlementCancelled, moveId: string): string {
  if (outcome === 'unknown') throw unknown(`there is no transfer ${moveId}`);
  if (outcome === 'asked' || outcome === 'before') return CANCELLED[outcome];
  throw new CommandFault(CANCELLED[outcome].replace('ID', moveId));
}

export default {
  about: 'Provider transfers with an unknown outcome. Two people decide.',
  verbs: { held, adopt, 'never-made': neverMade, approve, cancel },
} satisfies Noun;

const CANCELLED: Readonly<Record<Exclude<SettlementCancelled, 'unknown'>, string>> = {
  asked: 'Its provider is asked to stop it.\n',
  before: 'A cancellation was already requested.\n',
  payment: 'it is a payment: florin payment cancel ID',
  ended: 'it has ended',
  unstarted: 'its provider does not have it yet: the worker hands it over first',
  signed: 'no provider sends it: its signed authorization expires within two hours',
};

const OUTCOMES: Readonly<Record<Exclude<DecisionOutcome, 'decided' | 'not_operator'>, string>> = {
  unknown: 'there is no such proposal, or its transfer is no longer held',
  same_person: 'you proposed it yourself; another person must approve it',
  taken: 'that id belongs to another transfer, or the transfer is already decided',
};
