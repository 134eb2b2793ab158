/** Verbs of `florin deposit` about coins on blockchains that no node of ours reads. */
import { listWaitingArrivals, ruleArrival } from '../../../custody/elsewhere/ruleArrival.ts';
import { type Context, verb } from '../../program/command.ts';
import { unknown } from '../../program/faults.ts';
import { parseId } from '../../program/lookups.ts';
import { parseReason, WHY } from '../../program/reason.ts';
import { renderTable, renderTime } from '../../program/render.ts';

const WHERE = 'florin deposit waiting';

export const waiting = verb({
  says: 'Shows arrivals on Solana and Aptos that are not decided yet',
  about: `Most are decided when their provider says that they are complete. One that stays names a wallet and the address of
another wallet, or its provider does not know it any more. Look for its id at the provider, then accept or dismiss it.`,
  reads: true,
  async run({ db }) {
    const all = await listWaitingArrivals(db);
    const json = all.map((one) => ({
      arrival_id: one.id,
      blockchain: one.blockchain,
      listed_at: one.since,
      by_address: one.isByAddress,
    }));
    if (all.length === 0) return { text: 'No arrival waits.\n', json };
    const rows = all.map((one) => [
      one.id,
      one.blockchain,
      renderTime(one.since),
      one.isByAddress ? 'accepted by its address' : '',
    ]);
    return { text: renderTable([['arrival', 'blockchain', 'since', ''], ...rows]), json };
  },
});

async function rule(
  { db, allow }: Context,
  word: string | undefined,
  ruling: 'by_address' | 'dismiss',
  reason: string,
): Promise<void> {
  const id = parseId(word, 'arrival', WHERE);
  await allow('custody');
  if (!(await ruleArrival(db, id, ruling, reason))) throw unknown(`no arrival ${id} waits: ${WHERE}`);
}

export const accept = verb({
  says: 'Says that an arrival is of the wallet that has its address',
  about: `For an arrival whose provider names one wallet and the address of another one. Look on the chain that the coins are
at that address. The worker credits the owner of the wallet, unless it is a move of ours.`,
  words: ['ARRIVAL'],
  options: { why: WHY },
  async run(context, { words: [word], options }) {
    await rule(context, word, 'by_address', parseReason(options.why));
    return 'Accepted; the worker decides it by its address.\n';
  },
});

export const dismiss = verb({
  says: 'Says that an arrival brought us nothing: it credits nobody',
  words: ['ARRIVAL'],
  options: { why: WHY },
  async run(context, { words: [word], options }) {
    await rule(context, word, 'dismiss', parseReason(options.why));
    return 'Dismissed; it credits nobody.\n';
  },
});
