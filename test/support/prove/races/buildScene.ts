/**
 * Creates new people for every schedule, with everything that the two operations need, so that races do not affect each
 * other. Amounts are drawn such that two payments rarely fit into one balance, limit or budget.
 */
import { randomUUID } from 'node:crypto';
import { idFromKey } from '../../../../server/src/core/ids.ts';
import type { Usdc } from '../../../../server/src/core/money.ts';
import { nonceOf } from '../../../../server/src/custody/eip3009/authorizations.ts';
import { createRelayTx } from '../../../../server/src/custody/eip3009/createRelayTx.ts';
import { ANY_WALLET, fromRules, type RulesDocument } from '../../../../server/src/customers/keys/keyRules.ts';
import { sendToUser } from '../../../../server/src/payments/users/sendToUser.ts';
import { loginOf } from '../../operators.ts';
import { HOME } from '../../values.ts';
import type { Random } from '../random.ts';
import { pollRelayer, SIGNATURE, validBefore } from './openChain.ts';
import type { RaceWorld } from './openWorld.ts';
import { usdc } from './usdc.ts';

/** The Idempotency-Key under which alice uses her refresh token. */
export const REFRESH_KEY = 'refresh key';

export const PEOPLE = ['alice', 'bob', 'lena', 'zed'] as const;
export type PersonName = (typeof PEOPLE)[number];

/**
 * `first`: bob has paid alice, so that there is something to give back. `request`: bob asks alice. `waiting`: a send of bob's
 * with one of two approvals. `accepted`: a send of lena's. `queued`: one whose coins are reserved. `signed`: one that is
 * signed. `carried`: one in a relay transaction, with a cancellation that is not in it yet. `started`: one whose coins may be
 * on their way. `proposal`, `correction`, `move`, `debt`: for operators; alice owes the debt. `checked`, `approving`, `running`: payouts of alice's money to
 * bob or zed. `endpoint`: an endpoint that takes events in order, with two of them. `refreshed`: alice has used
 * her refresh token. `ownKey`: alice has a key of her account, which may spend 9 in a day. `paused`: alice and zed are. `chainPaused`: every
 * blockchain is, also signing.
 */
export type Need =
  | 'first'
  | 'request'
  | 'waiting'
  | 'accepted'
  | 'queued'
  | 'signed'
  | 'carried'
  | 'started'
  | 'proposal'
  | 'correction'
  | 'move'
  | 'debt'
  | 'checked'
  | 'approving'
  | 'running'
  | 'endpoint'
  | 'refreshed'
  | 'ownKey'
  | 'paused'
  | 'chainPaused';

export interface Scene {
  /** The ledger position at which the scene began. All its rows come later. */
  readonly since: string;
  /** The id of a thing by its short name. A new name gets a new id. */
  id(name: string): string;
  /** The short name of an id; undefined if it does not belong to this scene. */
  nameOf(id: string): string | undefined;
  username(name: string): string;
  shortUsername(username: string): string;
  amount(name: string): bigint;
  token(who: PersonName): string;
  refreshToken(who: PersonName): string;
  address(name: string): string;
  /** An id that is made from an Idempotency-Key. */
  keyed(
    name: string,
    caller: string,
    route: string,
  ): { readonly caller: string; readonly route: string; readonly text: string };
  ids(): string[];
  /** The id of something that another operation has named. */
  know(name: string, id: string): void;
}

/** Letters for names. No two of them look alike. */
const LETTERS = 'kxzhtypf';
const spell = (n: number): string => (n < 8 ? LETTERS[n]! : spell(Math.floor(n / 8)) + LETTERS[n % 8]!);

let scenes = 0;

export async function buildScene(world: RaceWorld, random: Random, needs: ReadonlySet<Need>): Promise<Scene> {
  const { rows } = await world.owner.query<{ since: string }>('SELECT ledger_tx_seq() AS since');
  const scene = openScene(random, spell(scenes++), rows[0]!.since);
  const statements: string[] = [];
  const funds = { ...FUNDS, ...(needs.has('first') && { alice: usdc(6) }) };
  for (const who of PEOPLE) statements.push(personSql(scene, who, funds[who]));
  for (const [name, scopes] of [
    ['key', 'read,send'],
    ['payoutKey', 'payouts'],
  ] as const) {
    const rules = keyRules(name === 'key' ? usdc(9) : usdc(100));
    statements.push(
      `SELECT create_key('${scene.id(name)}', '${name}', sha256('${randomUUID()}'), '{${scopes}}', '${JSON.stringify(rules)}')`,
    );
  }
  await world.owner.query(statements.join(';\n'));
  if (needs.has('first')) await payFirst(world, scene);
  const more = (Object.keys(NEEDS) as Need[]).flatMap((need) => (needs.has(need) ? NEEDS[need](scene) : []));
  // As if the watcher had already checked these wallets.
  await world.owner.query([...more, 'DELETE FROM wallet_rescans'].join(';\n'));
  if (needs.has('carried')) await carryAndCancel(world, scene);
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
    refreshToken: (who) => `flr_${scene.id(`session ${who}`)}`,
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

/** The id of a key that may spend this much of people's money in a day. */
export const keyRules = (day: bigint): RulesDocument =>
  fromRules({ ...ANY_WALLET, people: { payment: null, day, month: null } });

const FUNDS: Record<PersonName, bigint> = { alice: usdc(10), bob: usdc(50), lena: usdc(100), zed: 0n };

function personSql(scene: Scene, who: PersonName, funds: bigint): string {
  const texts = [
    scene.id(who),
    scene.username(who),
    scene.id(`wallet ${who}`),
    scene.address(who),
    scene.id(`session ${who}`),
    scene.token(who),
    scene.refreshToken(who),
    scene.id(`deposit ${who}`),
  ];
  return `SELECT races.add_person(${texts.map((text) => `'${text}'`).join(', ')}, ${funds})`;
}

async function payFirst(world: RaceWorld, scene: Scene): Promise<void> {
  const request = { senderId: scene.id('bob'), receiver: scene.username('alice'), amount: usdc(4) as Usdc };
  const key = scene.keyed('first', `user:${scene.id('bob')}`, 'setup');
  const { result } = await sendToUser(world.setup, { ...request, key });
  if ('refusal' in result) throw result.refusal;
}

async function carryAndCancel({ setup, owner }: RaceWorld, scene: Scene): Promise<void> {
  const id = scene.id('carried');
  if (!(await createRelayTx(setup.custody, setup.network, pollRelayer()))) throw new Error('nothing is carried');
  await owner.query(
    `UPDATE coin_moves SET cancel_wanted_at = now() WHERE move_id = '${id}';
     INSERT INTO cancellations (move_id, signature) VALUES ('${id}', '\\x${SIGNATURE.slice(2)}')`,
  );
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
    currency: 'USDC',
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

const queuedSql = (scene: Scene, id: 'queued' | 'signed' | 'carried' | 'started'): string[] => [
  sendSql(scene, id, 'lena', usdc(1), null),
  `SELECT queue_payments(1::smallint, ARRAY['${scene.id(id)}'::uuid], '{"local": "eip3009"}')`,
  `DELETE FROM jobs WHERE key = '${scene.id(id)}'`,
];

const signedSql = (scene: Scene, id: 'signed' | 'carried'): string[] => [
  ...queuedSql(scene, id),
  `SELECT record_signatures(ARRAY['${scene.id(id)}'::uuid], ARRAY['\\x${nonceOf(scene.id(id)).slice(2)}'::bytea],
     ${validBefore()}, ARRAY['\\x${SIGNATURE.slice(2)}'::bytea])`,
];

const payoutSql = (scene: Scene, name: string, to: PersonName): string[] => {
  const payout = {
    id: scene.id(name),
    key: scene.id('payoutKey'),
    certificate: null,
    client: null,
    currency: 'USDC',
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
  ownKey: (scene) => [
    `INSERT INTO service_keys (key_id, name, hash, scopes, user_id)
     VALUES ('${scene.id('ownKey')}', 'own', sha256('${randomUUID()}'), '{own:pay}', '${scene.id('alice')}')`,
    `SELECT write_key_rules('${scene.id('ownKey')}', '${JSON.stringify({ ...keyRules(usdc(9)), any_person: false, users: [scene.id('alice')] })}', NULL)`,
  ],
  request: (scene) => [
    `SELECT ask_for_money('${scene.id('request')}', '${scene.id('bob')}', '${scene.id('alice')}', ${scene.amount('request')}, NULL, NULL)`,
  ],
  waiting: (scene) => [
    sendSql(scene, 'waiting', 'bob', usdc(2), usdc(1)),
    `INSERT INTO approvals (payment_id, operator) VALUES ('${scene.id('waiting')}', ${operator('anna')})`,
  ],
  accepted: (scene) => [sendSql(scene, 'accepted', 'lena', usdc(2), null)],
  queued: (scene) => queuedSql(scene, 'queued'),
  signed: (scene) => signedSql(scene, 'signed'),
  carried: (scene) => signedSql(scene, 'carried'),
  started: (scene) => [
    ...queuedSql(scene, 'started'),
    `UPDATE coin_moves SET started_at = now() WHERE move_id = '${scene.id('started')}'`,
  ],
  proposal: (scene) => [
    `INSERT INTO refund_totals (payment_id, paid) VALUES ('${scene.id('first')}', ${usdc(4)})`,
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
  debt: (scene) => [
    `INSERT INTO debts (payment_id, account_id, amount)
     SELECT '${scene.id('debt')}', account_id, ${usdc(4)} FROM accounts WHERE user_id = '${scene.id('alice')}'`,
  ],
  checked: (scene) => payoutSql(scene, 'checked', 'bob'),
  approving: (scene) => [
    ...payoutSql(scene, 'approving', 'bob'),
    confirmSql(scene, 'approving', '0'),
    `INSERT INTO payout_approvals (payout_id, operator) VALUES ('${scene.id('approving')}', ${operator('anna')})`,
  ],
  running: (scene) => [...payoutSql(scene, 'running', 'zed'), confirmSql(scene, 'running', 'NULL')],
  endpoint: (scene) => [
    `INSERT INTO webhook_endpoints (endpoint_id, url, description, types, in_order, place)
     VALUES ('${scene.id('endpoint')}', 'https://example.com/hook', '', ARRAY['payment.complete'], true, 0)`,
    `INSERT INTO webhook_deliveries (endpoint_id, event_id, place, type, happened_at, data)
     SELECT '${scene.id('endpoint')}', 'event' || n, n, 'payment.complete', now(), '{}' FROM generate_series(1, 2) n`,
  ],
  refreshed: (scene) => [
    `UPDATE session_tokens SET spent_at = now(), spent_under = sha256('${REFRESH_KEY}')
      WHERE session_id = '${scene.id('session alice')}' AND kind = 'refresh'`,
  ],
  // The pause comes last, because it would refuse what the scene needs.
  paused: (scene) =>
    (['alice', 'zed'] as const).flatMap((who) => [
      `INSERT INTO pauses (scope, reason) VALUES ('user:${scene.id(who)}', 'looks odd')`,
      `UPDATE accounts SET paused = true WHERE user_id = '${scene.id(who)}'`,
    ]),
  chainPaused: () => [
    `INSERT INTO pauses (scope, reason, stops) VALUES ('chain', 'looks odd', 'accepting and signing')`,
  ],
};
