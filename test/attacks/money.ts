/** Attacks that try to spend more than the balance. */
import { type Attack, availableOf, codes, count, fund, join, key, payment, send } from '../support/attacks.ts';

export const balanceRace: Attack = {
  attack: 'Balance race: 64 concurrent payments of the whole balance',
  wanted: '1 × 200, 63 × 409',
  async probe(world) {
    const { florin } = world;
    const racer = await join(florin, 'racer');
    await fund(world, racer, '7');
    const answers = await Promise.all(Array.from({ length: 64 }, () => send(world, racer, payment(world, racer, 7))));
    return `${count(answers, 200)} × 200, ${count(answers, 409)} × 409`;
  },
};

export const replay: Attack = {
  attack: 'Replay of a payment',
  wanted: '400 idempotency.required without a key; with one: paid once, then replayed',
  async probe(world) {
    const { mallory } = world;
    const without = await send(world, mallory, payment(world, mallory), {});
    const headers = key();
    const first = await send(world, mallory, payment(world, mallory), headers);
    const second = await send(world, mallory, payment(world, mallory), headers);
    const same = first.body.transaction_id === second.body.transaction_id ? 'paid once' : 'paid twice';
    const repeated = second.headers.get('idempotency-replayed') === 'true' ? 'replayed' : 'not replayed';
    return `${codes([without])} without a key; with one: ${same}, then ${repeated}`;
  },
};

export const amounts: Attack = {
  attack: 'Amounts that a float would round',
  wanted: '0.1+0.2 exact; finer than 1e-6: 400, 400; 0, negative, text, boolean: 422 ×4',
  async probe(world) {
    const { florin, db } = world;
    const saver = await join(florin, 'saver');
    await fund(world, saver, '0.3');
    const body = (amount: string) =>
      JSON.stringify(payment(world, saver, 0)).replace('"amount":0', `"amount":${amount}`);
    const parts = await Promise.all(['0.1', '2e-1'].map((amount) => send(world, saver, body(amount))));
    const rest = await availableOf(db, saver);
    const fine = await Promise.all(
      ['0.0000001', '0.10000000000000000001'].map((amount) => send(world, saver, body(amount))),
    );
    const bad = await Promise.all(['0', '-1', '"1"', 'true'].map((amount) => send(world, saver, body(amount))));
    const exact = parts.every(({ status }) => status === 200) && rest === 0n ? 'exact' : `left ${rest}`;
    const refused = count(bad, 422);
    return `0.1+0.2 ${exact}; finer than 1e-6: ${fine.map(({ status }) => status).join(', ')}; 0, negative, text, boolean: 422 ×${refused}`;
  },
};
