/**
 * The reference of a row is its key: after a row was paid, every other row under its reference fails, whichever field
 * differs, and the rest of its file is paid.
 */
import { randomUUID } from 'node:crypto';
import { runPayouts } from '../../../../server/src/payments/payouts/runPayouts.ts';
import { HOME } from '../../values.ts';
import { PAYEE } from './goodCalls.ts';
import { type NegativesWorld, OTHER_CHAIN } from './openWorld.ts';

interface Row {
  readonly to: string;
  readonly amount: string;
  readonly blockchain: string;
}

const BASES: readonly Row[] = ['bob', PAYEE].map((to) => ({ to, amount: '1', blockchain: HOME }));
/** The other values of each field. A payment to a person has no blockchain of its own. */
const OTHERS: Readonly<Record<keyof Row, readonly string[]>> = {
  to: ['bob', 'carol', PAYEE, `0x${'5'.repeat(40)}`],
  amount: ['0.5', '2'],
  blockchain: [OTHER_CHAIN],
};

/** Each row with each change of one field, and without a change. */
function listPairs(): (readonly [first: Row, second: Row])[] {
  const pairs = BASES.flatMap((base) => [
    [base, base] as const,
    ...(Object.keys(OTHERS) as (keyof Row)[]).flatMap((field) =>
      OTHERS[field]
        .filter((value) => value !== base[field] && (field !== 'blockchain' || base.to === PAYEE))
        .map((value) => [base, { ...base, [field]: value }] as const),
    ),
  ]);
  // Whatever differs, either of the two rows may come first.
  return pairs.flatMap(([one, other]) =>
    one === other ? [[one, other] as const] : [[one, other] as const, [other, one] as const],
  );
}

const endOf = ({ to }: Row): string => (to.startsWith('0x') ? 'sent' : 'paid');

export async function runReferences(world: NegativesWorld): Promise<{ faults: string[]; pairs: number }> {
  const headers = { authorization: `Bearer ${world.keys.payouts}` };
  const [pairs, run] = [listPairs(), randomUUID()];
  const create = async (rows: readonly Row[]) => {
    const file = rows.map((row, i) => ({ reference: `${run} ${i}`, ...row }));
    const { body } = await world.call('POST', '/api/v1/payouts?payer=alice', { rows: file }, headers);
    return body as { readonly payout_id: string; readonly count: number; readonly total: string };
  };
  const rest: Row = { to: 'bob', amount: '0.25', blockchain: HOME };
  // Both are checked before either is paid.
  const files = [
    await create(pairs.map(([first]) => first)),
    await create([...pairs.map(([, second]) => second), rest]),
  ];
  const faults: string[] = [];
  for (const [nth, { payout_id: id, count, total }] of files.entries()) {
    await world.call('POST', `/api/v1/payouts/${id}/confirm`, { count, total }, headers);
    const sendRules = { approvalThreshold: undefined, newRecipientDelaySeconds: 0 };
    const places = {
      parse: (_: string, address: string) => ({ address }),
      askToken: async () => ({ isPaused: false, blacklisted: [] }),
    };
    const [outcome] = await runPayouts({ db: world.db, sendRules, places }, [id]);
    if (outcome instanceof Error) faults.push(`file ${nth + 1}: ${outcome.message}`);
    const items = await world.db.query<{ ended: string }>(
      `SELECT concat_ws(' ', state, error->>'code') AS ended FROM payout_items WHERE payout_id = $1 ORDER BY nth`,
      [id],
    );
    for (const [i, { ended }] of items.entries()) {
      const [first, second] = pairs[i] ?? [rest, rest];
      const expected = nth === 0 ? endOf(first) : first === second ? endOf(second) : 'failed reference.used';
      const name = nth === 0 ? JSON.stringify(first) : `${JSON.stringify(second)} after ${JSON.stringify(first)}`;
      if (ended !== expected) faults.push(`a row ${name}: ${ended} instead of ${expected}`);
    }
  }
  return { faults, pairs: pairs.length };
}
