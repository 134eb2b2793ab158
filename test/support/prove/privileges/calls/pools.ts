/** Values that mean something in the fuzzer's world, by a parameter's name and type. */
import { loginOf } from '../../../operators.ts';
import type { Random } from '../../random.ts';
import type { Value } from '../value.ts';
import {
  addressOf,
  HOME_CHAIN,
  hashOf,
  idOf,
  NEW_CHAIN,
  OTHER_CHAIN,
  PEOPLE,
  SENDING_WALLET,
  TREASURY_WALLET,
  userOf,
  walletOf,
} from '../world/names.ts';

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

const USERS = PEOPLE.map(({ name }) => userOf(name));
const WALLETS = [...PEOPLE.map(({ name }) => walletOf(name)), TREASURY_WALLET, SENDING_WALLET];
const KEYS = range(1, 5).map((nth) => idOf('key', nth));
const PAYOUTS = range(1, 6).map((nth) => idOf('payout', nth));
const SENDS = range(11, 20).map((nth) => idOf('payment', nth));
const PAYMENTS = [...range(1, 4), ...range(11, 20), 90, 300, 301].map((nth) => idOf('payment', nth));
const MOVES = [...range(1, 3).map((nth) => idOf('move', nth)), ...SENDS];
const REQUESTS = range(1, 4).map((nth) => idOf('request', nth));
const DECISIONS = range(1, 3).map((nth) => idOf('decision', nth));
const PROPOSED = range(1, 4).flatMap((nth) => [idOf('correction', nth), idOf('refund', nth)]);

const UUIDS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/user|asker|payer|person|people|caller_id|owner/, USERS],
  [/wallet/, WALLETS],
  [/key|caller/, KEYS],
  [/payout/, PAYOUTS],
  [/request/, REQUESTS],
  [/session/, PEOPLE.map((_, i) => idOf('session', i + 1))],
  [/settlement/, [idOf('settlement', 1), ...MOVES]],
  [/endpoint/, [idOf('endpoint', 1)]],
  [/move|funds/, MOVES],
  [/deposit|transfer/, range(1, 12).map((nth) => idOf('deposit', nth))],
  [/hold|payment/, PAYMENTS],
];
const ANY_UUID = [...PAYMENTS, ...PROPOSED, ...DECISIONS, ...MOVES, ...REQUESTS, ...PAYOUTS, ...USERS];

const OPERATOR_NAMES = (['ada', 'anna', 'rita', 'sven', 'mallory', 'rolf'] as const).map(loginOf);

const TEXTS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/blockchain/, [HOME_CHAIN, OTHER_CHAIN, NEW_CHAIN, 'BRAND-NEW']],
  [
    /actor|_by$/,
    [
      ...OPERATOR_NAMES.map((name) => `operator:${name}`),
      `user:${USERS[0]}`,
      `key:${KEYS[0]}`,
      'service:other',
      'provider:sumsub',
      'nobody',
    ],
  ],
  [/operator|p_name$/, [...OPERATOR_NAMES, 'unverified', 'verified', 'unlimited', 'a name']],
  [/tier/, ['unlimited', 'verified', 'unverified', 'stopped']],
  [/role/, ['admin', 'risk', 'support']],
  [/action/, ['login', 'key.created', 'payment.approved', 'operator.set', 'payout.approved']],
  [/scope/, ['all', 'user', 'chain', `chain:${HOME_CHAIN}`, ...USERS.map((user) => `user:${user}`)]],
  [/cause/, ['operator', 'closed', 'drift', 'unexplained', 'contradicted', 'reorg', 'gas']],
  [/stops/, ['accepting', 'accepting and signing']],
  [/status/, ['none', 'approved', 'rejected', 'pending']],
  [
    /state/,
    [
      'CANCELLED',
      'DENIED',
      'FAILED',
      'COMPLETE',
      'QUEUED',
      'CLEARED',
      'SENT',
      'cancelled',
      'declined',
      'open',
      'done',
      'dead',
      'credited',
      'gone',
      'lost',
      'on',
      'off',
      'failed',
      'submitted',
      'final',
      'waiting',
      'new',
    ],
  ],
  [
    /kind/,
    [
      'internal',
      'deposit',
      'hold',
      'post',
      'release',
      'user',
      'treasury',
      'fees',
      'loss',
      'chain',
      'keys',
      'sessions',
      'names',
      'submit ETH-SEPOLIA',
      'access',
      'used',
    ],
  ],
  [/what/, ['audit', 'spendings', 'answers', 'sessions', 'refusals', 'deliveries']],
  [/hash/, [...range(1, 8).map(hashOf), ...range(501, 504).map(hashOf)]],
  [
    /address|destination|from_name|contract/,
    [...range(1, 4).map(addressOf), addressOf(100), addressOf(7_001), addressOf(7_777)],
  ],
  [/username|froms|tos|typed|receiver/, PEOPLE.map(({ name }) => name)],
  [/provider_id/, ['provider-1']],
  [/provider/, ['local', 'circle', 'circle_send']],
  [/verdict/, ['adopt', 'never_made', 'credited', 'own']],
  [/deed/, ['keys', 'approve', 'custody']],
  [/purpose/, ['send', 'settlement']],
  [/rail/, ['eip3009', 'provider']],
  [/type/, ['payment.complete', '*']],
  [/event/, ['evt_1']],
];

export const HUGE = 1n << 62n;
const ODD_NUMBERS = [
  0n,
  -1n,
  1n,
  2n,
  3n,
  7n,
  1_000_000n,
  -1_000_000n,
  5_000_000n,
  99_000_000n,
  2_147_483_647n,
  HUGE,
  -HUGE,
];

function findPool(pools: typeof TEXTS, name: string): readonly string[] | undefined {
  return pools.find(([pattern]) => pattern.test(name))?.[1];
}

/** A plausible value of this type. Ids are often fresh: most functions take the id of something new. */
export function chooseValue(random: Random, name: string, type: string): Value {
  if (type.endsWith('[]')) {
    return Array.from({ length: random.int(4) }, () => chooseValue(random, name, type.slice(0, -2)));
  }
  switch (type) {
    case 'uuid':
      if (random.chance(0.2)) return random.uuid();
      return random.pick(random.chance(0.85) ? (findPool(UUIDS, name) ?? ANY_UUID) : ANY_UUID);
    case 'smallint':
      return random.pick([1n, 1n, 1n, 2n, 3n, 0n, -1n, 20n, 30n, 99n, 32_767n]);
    case 'integer':
      return random.pick([0n, 0n, 1n, 1n, 2n, 3n, 100n, 400n, -1n, 2_147_483_647n, -2_147_483_648n]);
    case 'bigint':
      return /account|debit|credit/.test(name) ? BigInt(1 + random.int(24)) : random.pick(ODD_NUMBERS);
    case 'numeric':
      return random.pick(ODD_NUMBERS);
    case 'boolean':
      return random.chance(0.5);
    case 'text':
      return random.pick(findPool(TEXTS, name) ?? ['x', 'a reason', '', 'ada', HOME_CHAIN, addressOf(7_777)]);
    case 'jsonb':
    case 'json':
      return { json: random.pick([{}, [], null, { day: null, payment: null, month: null, count: null }]) };
    case 'bytea':
      return random.pick([
        `\\x${'ab'.repeat(32)}`,
        `\\x${'cd'.repeat(65)}`,
        '\\x',
        `\\x${random.int(256).toString(16).padStart(2, '0').repeat(32)}`,
      ]);
    case 'inet':
    case 'cidr':
      return random.pick(['10.0.0.1', '::1']);
    case 'interval':
      return random.pick(['1 second', '1 day', '-1 day', '1000 years']);
    case 'timestamp with time zone':
      return random.pick(['2020-01-01T00:00:00Z', '2999-01-01T00:00:00Z', '-infinity', 'infinity']);
    default:
      // A row of a table.
      return /^[a-z_]+$/.test(type) ? { sql: `(SELECT t FROM ${type} t LIMIT 1)` } : null;
  }
}
