/** Several statements of one transaction that only together have an effect, as our processes run them. */
import type { Random } from '../../random.ts';
import type { CatalogueFunction } from '../catalogue.ts';
import type { Actor } from '../logins.ts';
import { hashOf, idOf, walletOf } from '../world/names.ts';
import { chooseAmount, type Known } from './known.ts';
import { payoutOf, payoutRow, SEND_RULES, sendOf } from './shapes.ts';
import { type Arguments, callOf, type Statement } from './statement.ts';

type Call = (name: string, args: Arguments) => Statement[];
type Scenario = (random: Random, known: Known, call: Call) => Statement[];

const writeTo = (table: string, sql: string): Statement => ({
  name: table,
  sql,
  isTemplated: false,
  isValid: false,
  simpler: [],
});

/** A file of which the caller claims that most is known already. */
const confirmNew: Scenario = (random, _, call) => {
  const id = random.uuid();
  const rows = [1, 2].map((nth) => ({
    ...payoutRow(nth, { username: 'bob', amount: String(chooseAmount(random)) }),
    id: random.uuid(),
  }));
  const total = rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  const known = random.pick([0n, total - 1n, total / 2n, total]);
  const knownCount = random.int(3);
  const payout = { ...payoutOf(id), known_total: String(known), known_count: knownCount };
  return [
    ...call('create_payout', { p_payout: { json: payout }, p_rows: { json: rows }, p_file: '\\x66' }),
    ...call('confirm_payout', {
      p_payout: id,
      p_key: idOf('key', 3),
      p_count: BigInt(2 - knownCount),
      p_total: total - known,
    }),
    ...call('cancel_own_payout', { p_payout: random.uuid(), p_key: idOf('key', 3) }),
  ];
};

const sendAndRelease: Scenario = (random, known, call) => {
  const id = random.uuid();
  const send = sendOf(id, { username: known.anyone(random), amount: String(chooseAmount(random)) });
  const release = { p_id: id, p_state: 'CANCELLED', p_reason: 'no' };
  return [
    ...call('accept_sends', { p_rules: { json: SEND_RULES }, p_sends: { json: [send] } }),
    ...call('payment_release', { ...release, p_release: random.uuid() }),
    ...call('payment_release', { ...release, p_release: random.chance(0.5) ? id : random.uuid() }),
  ];
};

const creditDeposit: Scenario = (random, known, call) => {
  const id = random.uuid();
  const name = known.anyone(random);
  const amount = chooseAmount(random);
  const insert = `INSERT INTO deposits (asset_id, tx_hash, wallet_id, ordinal, from_address, amount, block_number, block_hash, transfer_id, log_index)
    VALUES (1, '${hashOf(2_000 + random.int(50))}', '${walletOf(name)}', 0, '0xf', ${amount}, 990, '0xblock', '${id}', ${random.int(3)})`;
  const credit = call('credit_deposits', { p_asset: 1n, p_ids: random.chance(0.7) ? [id] : [id, id] });
  return [writeTo('deposits', insert), ...(random.chance(0.8) ? credit : [...credit, ...credit])];
};

const loseDeposit: Scenario = (random, _, call) => {
  const id = idOf('deposit', 1 + random.int(6));
  const lose = writeTo('deposits', `UPDATE deposits SET state = 'lost' WHERE transfer_id = '${id}'`);
  const twice = random.chance(0.5) ? [id, id] : [id];
  return [
    lose,
    ...call('write_off_deposits', { p_asset: 1n, p_ids: twice }),
    ...call('write_off_deposits', { p_asset: 1n, p_ids: [id] }),
  ];
};

const SCENARIOS: Readonly<Partial<Record<Actor, readonly Scenario[]>>> = {
  server: [confirmNew, sendAndRelease],
  worker: [creditDeposit, loseDeposit],
};

/** Undefined: this login has none. Functions that it may not call are left out. */
export function chooseScenario(
  random: Random,
  known: Known,
  actor: Actor,
  functions: readonly CatalogueFunction[],
): Statement[] | undefined {
  const scenarios = SCENARIOS[actor];
  if (!scenarios) return undefined;
  const call: Call = (name, args) => {
    const target = functions.find((one) => one.name === name);
    return target ? [callOf(target, args, {}, false)] : [];
  };
  return random.pick(scenarios)(random, known, call);
}
