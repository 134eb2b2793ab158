/**
 * Operators import payments that only the chain knows, and collect the debts that this makes
 * (docs/operating/corrections.md).
 */
import { type Hex, hexToBigInt, keccak256, numberToHex } from 'viem';
import { PLACE } from '../../../chain/serveTestChain.ts';
import { operate } from '../../../operate.ts';
import { collectFor, importPaid } from '../../model/restores.ts';
import { type Action, type Context, type Draw, PEOPLE, workerDoes } from '../context.ts';
import { deposit, mineFinal } from './chainDoes.ts';
import { repeatLost } from './peopleDo.ts';

interface Books {
  readonly unexplained: readonly { tx_hash: Hex; log_index: number; wallet_id: string; to_address: string }[];
  readonly debts: readonly { payment_id: string; user_id: string; owed: string }[];
}

interface Log {
  readonly address: Hex;
  readonly logIndex: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

const checkBooks = async ({ world }: Context): Promise<Books> =>
  JSON.parse(await operate(world.operators.ada, 'books', 'check', '--json'));

/** Such coins left for a payment that a restore has lost. Anything else would be theft. */
export const importMove: Draw = (context) => {
  if (!context.state.pauses.includes('unexplained')) return undefined;
  const name = context.next('import');
  return {
    name: 'import',
    text: 'ada imports a payment that the chain has made',
    creates: { sends: name },
    expects: 'done',
    run: () => runImport(context, name),
  };
};

async function runImport(context: Context, name: string): Promise<string> {
  const { world } = context;
  const [move] = (await checkBooks(context)).unexplained;
  if (!move) return 'done';
  const { tx_hash: hash, log_index: index } = move;
  const found = await readTransfer(context, hash, index);
  if (typeof found === 'string') return found;
  const { who, amount, isOurs, isLost } = found;
  if (isOurs) {
    const said = await operate(world.operators.ada, 'payment', 'import', hash, String(index), '--as', 'settlement');
    return said.includes('a settlement;') ? 'done' : said;
  }
  if (!isLost) return `${amount} left the wallet of ${who}, and no one has lost such a payment`;
  const said = await operate(world.operators.ada, 'payment', 'import', hash, String(index));
  const id = /: payment\s+([0-9a-f-]{36})/.exec(said)?.[1];
  if (!id) return said;
  const state = structuredClone(context.state);
  // Its id is derived from the transfer: after a second restore the same import has the same name.
  const known = world.names.nameOf(id) ?? name;
  importPaid(state, known, who, amount);
  context.observer.imports.set(hash, known);
  context.state = state;
  // Its client may not know of the import. A payer who owes money gets some, and can afford the repeated send.
  const hasDebt = state.people[who]!.owed > 0n;
  const income = hasDebt ? [fundDebtor, mineFinal, workerDoes('track')] : [];
  context.planned.push(...income, ...context.random.shuffle([repeatLost, collectDebt]));
  return 'done';
}

/** Reads the transfer from the chain. A text says why there is none. */
async function readTransfer({ world, state }: Context, hash: Hex, index: number) {
  const receipt = await world.places.local.read<{ logs: readonly Log[] } | null>('eth_getTransactionReceipt', [hash]);
  const log = receipt?.logs.find((one) => one.logIndex === numberToHex(index));
  if (!log || log.address.toLowerCase() !== PLACE.usdc.toLowerCase() || log.topics.length !== 3)
    return `the chain has no transfer ${hash} ${index}`;
  const [from, to] = log.topics.slice(1).map((topic) => `0x${topic.slice(-40)}`) as [string, string];
  const who = (world.names.nameOf(from) ?? 'address of treasury').replace('address of ', '');
  const amount = hexToBigInt(log.data);
  const { rowCount } = await world.owner.query('SELECT FROM wallets WHERE lower(address) = $1', [to]);
  const lost = (state.restored?.lost ?? []).filter((id) => !state.sends[id]?.ended).map(world.names.id);
  // A provider keeps the payment's id with its transfer, and learns the hash of the chain transaction late. Otherwise the
  // nonce is derived from the id. Wallets may have moved, so a payment of this service can be either.
  const keys = (world.places.double?.control.transactions() ?? [])
    .filter((one) => one.txHash === hash || (one.txHash === '' && one.destinationAddress.toLowerCase() === to))
    .map((one) => one.refId);
  const nonces = receipt!.logs.flatMap(({ topics }) => topics.slice(2));
  const isLost = lost.some((id) => keys.includes(id) || nonces.includes(keccak256(`0x${id.replaceAll('-', '')}`)));
  return { who, amount, isOurs: rowCount! > 0, isLost };
}

export const collectDebt: Draw = (context) => {
  const { state } = context;
  if (!Object.values(state.people).some(({ owed, available }) => owed > 0n && available > 0n)) return undefined;
  return { name: 'collect debt', text: 'ada collects a debt', expects: 'done', run: () => collectFirst(context) };
};

/** A person who owes money and has none gets a little: most debts need several collections. */
export const fundDebtor: Draw = (context) => {
  const { people } = context.state;
  const debtor = PEOPLE.find((who) => people[who]!.owed > 0n && people[who]!.available === 0n);
  return debtor && deposit(context, debtor, 1);
};

async function collectFirst(context: Context): Promise<string> {
  const { world } = context;
  const units = (usdc: string) => BigInt(Math.round(Number(usdc) * 1_000_000));
  const { debts } = await checkBooks(context);
  const nameOf = (id: string) => world.names.nameOf(id)!;
  const debt = debts.find(({ user_id: id }) => context.state.people[nameOf(id)]!.available > 0n);
  if (!debt) return 'someone owes money, and the books show no debt';
  const state = structuredClone(context.state);
  const person = state.people[nameOf(debt.user_id)]!;
  const owed = units(debt.owed);
  const part = person.available < owed ? person.available : owed;
  person.available -= part;
  person.owed -= part;
  person.history.push(`internal ${person.available}`);
  state.feed.push(`debt.complete ${nameOf(debt.payment_id)}`);
  collectFor(state, nameOf(debt.payment_id), part);
  const said = await operate(world.operators.ada, 'books', 'collect', debt.payment_id);
  context.state = state;
  return said.includes('collected') ? 'done' : said;
}

/** While workers heal the service, operators import what appears. */
export async function importAll(context: Context, act: (action: Action) => Promise<void>): Promise<void> {
  for (let i = 0; i < 20; i++) {
    const action = importMove(context);
    if (!action) return;
    await act(action);
  }
}

export const importsDo: readonly (readonly [number, Draw])[] = [
  [6, importMove],
  [60, collectDebt],
  [40, fundDebtor],
];
