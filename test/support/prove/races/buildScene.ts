/**
 * New people for every schedule, with whatever the two operations need: so a race leaves nothing to the next one. Amounts
 * are drawn such that two payments rarely fit into one balance, limit or budget.
 */
import { randomUUID } from 'node:crypto';
import { idFromKey } from '../../../../server/src/core/ids.ts';
import type { Usdc } from '../../../../server/src/core/money.ts';
import { sendToUser } from '../../../../server/src/payments/users/sendToUser.ts';
import { loginOf } from '../../operators.ts';
import { HOME } from '../../values.ts';
import type { Random } from '../random.ts';
import type { RaceWorld } from './openWorld.ts';
import { usdc } from './usdc.ts';

export const PEOPLE = ['alice', 'bob', 'lena', 'zed'] as const;
export type PersonName = (typeof PEOPLE)[number];

/**
 * `first`: bob has paid alice, so that there is something to give back. `request`: bob asks alice. `waiting`: a send of bob's with one of two approvals. `accepted`: a send of lena's.
 * `started`: one whose coins may be on their way. `proposal`, `correction`, `move`: for operators. `checked`, `approving`,
 * `running`: payouts of alice's money to bob or zed.
 */
export type Need =
  | 'first'
  | 'request'
  | 'waiting'
  | 'accepted'
  | 'started'
  | 'proposal'
  | 'correction'
  | 'move'
  | 'checked'
  | 'approving'
  | 'running';

export interface Scene {
  /** The place in the ledger where the scene began: nothing of it is before. */
  readonly since: string;
  /** The id of a thing by its short name. A new name gets a new id. */
  id(name: string): string;
  /** The short name of an id; undefined: it is not of this scene. */
  nameOf(id: string): string | undefined;
  username(name: string): string;
  shortUsername(username: string): string;
  amount(name: string): bigint;
  token(who: PersonName): string;
  address(name: string): string;
  /** An id that is made from an Idempotency-Key. */
  keyed(
    name: string,
    caller: string,
    route: string,
  ): { readonly caller: string; readonly route: string; readonly text: string };
  ids(): string[];
  /** Says what id a thing has that somebody else has named. */
  know(name: string, id: string): void;
}

/** Letters that no two of look alike. */
const LETTERS = 'kxzhtypf';
const spell = (n: number): string => (n < 8 ? LETTERS[n]! : spell(Math.floor(n / 8)) + LETTERS[n % 8]!);

let scenes = 0;

export async function buildScene(world: RaceWorld, random: Random, needs: ReadonlySet<Need>): Promise<Scene> {
  const { rows } = await world.owner.query<{ since: string }>('SELECT ledger_tx_seq() AS since');
  const scene = openScene(random, spell(scenes++), rows[0]!.since);
  const statements: string[] = [];
  const funds = { ...FUNDS, ...(needs.has('first') && { alice: usdc(6) }) };
  for (const who of PEOPLE) statements.push(...personSql(scene, who, funds[who]));
  for (const [name, scopes] of [
    ['key', 'read,send'],
    ['payoutKey', 'payouts'],
  ] as const) {
    const rules = {
      ...NO_RULES,
      people: { payment: null, day: String(name === 'key' ? usdc(9) : usdc(100)), month: null },
    };
    statements.push(
      `SELECT create_key('${scene.id(name)}', '${name}', sha256('${randomUUID()}'), '{${scopes}}', '${JSON.stringify(rules)}')`,
    );
  }
  await world.owner.query(statements.join(';\n'));
  if (needs.has('first')) await payFirst(world, scene);
  const more = [...needs].flatMap((need) => NEEDS[need](scene));
  if (more.length > 0) await world.owner.query(more.join(';\n'));
  return scene;
}

function openScene(random: Random, suffix: string, since: string): Scene {
  const [ids, names, amounts] = [new Map<string, string>(), new Map<string, string>(), new Map<string, bigint>()];
  const know = (name: string, id: string) => {
    ids.set(name, id);
    names.set(id, name);
  };
  const scene: Scene = {
    since,
    id(name) {
      if (!ids.has(name)) know(name, randomUUID());
      return ids.get(name)!;
    },
    nameOf: (id) => names.get(id),
    username: (name) => `${name}_${suffix}`,
    shortUsername: (username) => username.slice(0, -suffix.length - 1),
    amount(name) {
      if (!amounts.has(name)) amounts.set(name, 5_100_000n + BigInt(random.int(3_800_000)));
      return amounts.get(name)!;
    },
    token: (who) => `fla_${scene.id(`session ${who}`)}`,
    address: (name) => `0x${scene.id(`address ${name}`).replaceAll('-', '').padEnd(40, '0')}`,
    keyed(name, caller, route) {
      const text = scene.id(`key of ${name}`);
      know(name, idFromKey(caller, route, text));
      return { caller, route, text };
    },
    ids: () => [...ids.values()].filter((one) => /^[0-9a-f-]{36}$/.test(one)),
    know,
  };
  return scene;
}

const NO_RULES = {
  any_person: true,
  users: [],
  wallets: [],
  blockchains: null,
  destinations: null,
  expires_at: null,
  certificate: null,
  clients: null,
  treasury: null,
};

const FUNDS: Record<PersonName, bigint> = { alice: usdc(10), bob: usdc(50), lena: usdc(100), zed: 0n };

function personSql(scene: Scene, who: PersonName, funds: bigint): string[] {
  const [user, wallet, name] = [scene.id(who), scene.id(`wallet ${who}`), scene.username(who)];
  const chain = `(SELECT account_id FROM accounts WHERE kind = 'chain')`;
  const own = `(SELECT account_id FROM accounts WHERE user_id = '${user}')`;
  return [
    `INSERT INTO users (user_id, issuer, subject, kyc_status) VALUES ('${user}', 'test', '${name}', 'approved')`,
    `INSERT INTO username_skeletons (skeleton, user_id) VALUES (username_skeleton('${name}'), '${user}')`,
    `INSERT INTO usernames (username, user_id, claimed_at) VALUES ('${name}', '${user}', now())`,
    `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address)
     VALUES ('${wallet}', 'user', '${user}', 'local', '${name}', '${scene.address(who)}')`,
    `SELECT ledger_open_user_accounts(1::smallint, ARRAY['${user}'::uuid])`,
    `INSERT INTO sessions (session_id, user_id, created_at, last_used_at, expires_at)
     VALUES ('${scene.id(`session ${who}`)}', '${user}', now(), now(), now() + interval '30 days')`,
    `INSERT INTO session_tokens (hash, session_id, kind, generation, expires_at)
     VALUES (sha256('${scene.token(who)}'), '${scene.id(`session ${who}`)}', 'access', 0, now() + interval '1 day')`,
    `INSERT INTO kyc_checks (user_id, applicant_id, level, was_approved, asked) VALUES ('${user}', '${user}', 'basic', true, 1)`,
    ...(funds > 0n
      ? [`SELECT ledger_apply('${scene.id(`deposit ${who}`)}', 'deposit', ${chain}, ${own}, ${funds}, NULL, '0xf')`]
      : []),
    `INSERT INTO holdings (asset_id, wallet_id, coins, ledger) VALUES (1, '${wallet}', ${usdc(200)}, ${usdc(200)})
     ON CONFLICT (asset_id, wallet_id) DO UPDATE SET coins = excluded.coins`,
  ];
}

async function payFirst(world: RaceWorld, scene: Scene): Promise<void> {
  const request = { senderId: scene.id('bob'), receiver: scene.username('alice'), amount: usdc(4) as Usdc };
  const key = scene.keyed('first', `user:${scene.id('bob')}`, 'setup');
  const { result } = await sendToUser(world.setup, { ...request, key });
  if ('refusal' in result) throw result.refusal;
}

const sendSql = (scene: Scene, id: string, who: PersonName, amount: bigint, threshold: bigint | null): string => {
  const rules = { threshold: threshold === null ? null : String(threshold), delay: 0, list_age: 0 };
  const send = {
    id: scene.id(id),
    caller: null,
    asked: true,
    hash: null,
    trace: null,
    blockchain: HOME,
    destination: scene.address(id),
    amount: String(amount),
    wallet: null,
    username: scene.username(who),
    person: null,
    session: null,
    shown: 'username',
  };
  return `SELECT * FROM accept_sends('${JSON.stringify(rules)}', '${JSON.stringify([send])}')`;
};

const payoutSql = (scene: Scene, name: string, to: PersonName): string[] => {
  const payout = {
    id: scene.id(name),
    key: scene.id('payoutKey'),
    certificate: null,
    client: null,
    payer: scene.id('alice'),
    wallet: scene.id('wallet alice'),
    on_shortage: 'wait',
    content_type: 'text/csv',
    known_count: 0,
    known_total: 0,
  };
  const row = {
    id: scene.id(`${name}_1`),
    reference: 'row 1',
    username: scene.username(to),
    person: scene.id(to),
    destination: null,
    blockchain: HOME,
    amount: String(scene.amount(name)),
    note: null,
  };
  return [`SELECT create_payout('${JSON.stringify(payout)}', '${JSON.stringify([row])}', 'file')`];
};

const confirmSql = (scene: Scene, name: string, threshold: string): string =>
  `SELECT confirm_payout('${scene.id(name)}', '${scene.id('payoutKey')}', 1, ${scene.amount(name)}, ${threshold}, NULL, NULL)`;

const operator = (name: 'anna' | 'rita'): string => `'${loginOf(name)}'`;

const NEEDS: Readonly<Record<Need, (scene: Scene) => string[]>> = {
  first: () => [],
  request: (scene) => [
    `SELECT ask_for_money('${scene.id('request')}', '${scene.id('bob')}', '${scene.id('alice')}', ${scene.amount('request')}, NULL, NULL)`,
  ],
  waiting: (scene) => [
    sendSql(scene, 'waiting', 'bob', usdc(2), usdc(1)),
    `INSERT INTO approvals (payment_id, operator) VALUES ('${scene.id('waiting')}', ${operator('anna')})`,
  ],
  accepted: (scene) => [sendSql(scene, 'accepted', 'lena', usdc(2), null)],
  started: (scene) => [
    sendSql(scene, 'started', 'lena', usdc(1), null),
    `SELECT queue_payments(1::smallint, ARRAY['${scene.id('started')}'::uuid], '{"local": "eip3009"}')`,
    `UPDATE coin_moves SET started_at = now() WHERE move_id = '${scene.id('started')}'`,
    `DELETE FROM jobs WHERE key = '${scene.id('started')}'`,
  ],
  proposal: (scene) => [
    `INSERT INTO refunds (refund_id, payment_id, source, amount, reason, proposed_by)
     VALUES ('${scene.id('proposal')}', '${scene.id('first')}', 'treasury', ${usdc(3)}, 'asked', ${operator('anna')})`,
  ],
  correction: (scene) => [
    `INSERT INTO corrections (correction_id, asset_id, wallet_id, amount, reason, proposed_by)
     VALUES ('${scene.id('correction')}', 1, '${scene.id('wallet alice')}', -${scene.amount('correction')}, 'found', ${operator('anna')})`,
  ],
  move: (scene) => [
    `INSERT INTO unexplained_moves (asset_id, tx_hash, log_index, wallet_id, to_address, amount, block_number)
     VALUES (1, '0x${scene.id('move').replaceAll('-', '').padEnd(64, '0')}', 0, '${scene.id('wallet alice')}', '${scene.address('stranger')}', ${scene.amount('move')}, 960)`,
  ],
  checked: (scene) => payoutSql(scene, 'checked', 'bob'),
  approving: (scene) => [
    ...payoutSql(scene, 'approving', 'bob'),
    confirmSql(scene, 'approving', '0'),
    `INSERT INTO payout_approvals (payout_id, operator) VALUES ('${scene.id('approving')}', ${operator('anna')})`,
  ],
  running: (scene) => [...payoutSql(scene, 'running', 'zed'), confirmSql(scene, 'running', 'NULL')],
};
