/** Verbs of `florin deposit` for coins on blockchains that our nodes do not read. */
import { listWaitingArrivals, ruleArrival } from '../../../custody/unwatchedChains/ruleArrival.ts';
import { type Context, type Plan, verb } from '../../program/command.ts';
import { unknown } from '../../program/faults.ts';
import { parseId } from '../../program/lookups.ts';
import { parseReason, WHY } from '../../program/reason.ts';
import { renderTable, renderTime } from '../../program/render.ts';

const WHERE = 'florin deposit waiting';

export const waiting = verb({
  summary: 'Shows arrivals on Solana and Aptos that are not decided yet',
  about: `Most arrivals are decided when their provider reports them as complete. One that stays names a wallet and the address of
another wallet, or its provider no longer knows it. Search for its id at the provider, then accept or dismiss it.`,
  reads: true,
  async run({ db }) {
    const all = await listWaitingArrivals(db);
    const json = all.map((one) => ({
      arrival_id: one.id,
      blockchain: one.blockchain,
      listed_at: one.since,
      by_address: one.isByAddress,
    }));
    if (all.length === 0) return { text: 'No arrivals are waiting.\n', json };
    const rows = all.map((one) => [
      one.id,
      one.blockchain,
      renderTime(one.since),
      one.isByAddress ? 'accepted by its address' : '',
    ]);
    return { text: renderTable([['arrival', 'blockchain', 'since', ''], ...rows]), json };
  },
});

const RULINGS = {
  by_address: {
    title: 'Assign this arrival to the wallet that has its address.',
    after: 'the worker credits the owner of the wallet',
    done: 'Accepted; the worker decides the arrival by its address.\n',
  },
  dismiss: {
    title: 'Dismiss this arrival. It is not decided again.',
    after: 'it credits no one',
    done: 'Dismissed; it credits no one.\n',
  },
} as const;

async function planRuling(
  { db, allow }: Context,
  word: string | undefined,
  ruling: keyof typeof RULINGS,
  reason: string,
): Promise<Plan> {
  const id = parseId(word, 'arrival', WHERE);
  await allow('custody');
  const [arrival] = await listWaitingArrivals(db, id);
  if (!arrival) throw unknown(`no arrival ${id} is waiting: ${WHERE}`);
  const { title, after, done } = RULINGS[ruling];
  return {
    title,
    facts: [
      ['arrival', id],
      ['blockchain', arrival.blockchain],
      ['since', renderTime(arrival.since)],
      ['why', reason],
    ],
    changes: [{ what: 'state', before: arrival.isByAddress ? 'accepted by its address' : 'not decided', after }],
    async carryOut() {
      if (!(await ruleArrival(db, id, ruling, reason))) throw unknown(`no arrival ${id} is waiting: ${WHERE}`);
      return done;
    },
  };
}

export const accept = verb({
  summary: 'Assigns an arrival to the wallet that has its address',
  about: `For an arrival whose provider names one wallet and the address of another one. First check on the chain that the coins are
at that address. The worker credits the owner of the wallet, unless the arrival is one of our own moves.`,
  words: ['ARRIVAL'],
  options: { why: WHY },
  plan: (context, { words: [word], options }) => planRuling(context, word, 'by_address', parseReason(options.why)),
});

export const dismiss = verb({
  summary: 'Dismisses an arrival that brought no coins: it credits no one',
  words: ['ARRIVAL'],
  options: { why: WHY },
  plan: (context, { words: [word], options }) => planRuling(context, word, 'dismiss', parseReason(options.why)),
});
