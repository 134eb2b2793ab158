/**
 * What customers read about a pause or a denial has no operator's own words and no internal detail; operators read both.
 * The reasons of refunds and corrections are written for customers, so they do read those.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PayError, renderProblem } from '../../server/src/core/errors.ts';
import { parseUsdc } from '../../server/src/core/money.ts';
import { renderPayment } from '../../server/src/http/answers/renderPayment.ts';
import { CAUSES, readGeneralPauses } from '../../server/src/operators/pauses.ts';
import { readPayment } from '../../server/src/payments/read/readPayment.ts';
import { openSends } from '../../server/src/payments/sends/openSends.ts';
import { sendToAddress } from '../../server/src/payments/sends/sendToAddress.ts';
import { openRefunds, type RefundsWorld } from '../support/ledger/openRefunds.ts';
import { operate } from '../support/operate.ts';
import type { Person } from '../support/payments.ts';
import { HOME } from '../support/values.ts';

/** What the service and operators store as reasons. Its numbers are in no time, id or address by chance. */
const SECRET =
  'owes 1.506172 USDC at block 27571828459; relayer 0x52908400098527886E0F7030069857D2E4169EE7 has 42 wei; https://key@node.example.com';
const LEAK = /1\.506172|27571828459|0x52908400|\bwei\b|https?:|node\.example|relayer/i;

let world: RefundsWorld;
let [ada, bob] = [] as unknown as [Person, Person];
beforeAll(async () => {
  world = await openRefunds();
  [ada, bob] = await world.meet();
  for (const { userId } of [ada, bob])
    await world.florin.db.query(
      `INSERT INTO wallets (wallet_id, kind, user_id, provider, reference, address) VALUES ($1, 'user', $2, 'local', $3, $3)`,
      [randomUUID(), userId, `0x${randomBytes(20).toString('hex')}`],
    );
});
afterAll(() => world.stop());

const type = (who: keyof RefundsWorld['operators'], ...args: string[]) => operate(world.operators[who], ...args);

async function send(approvalThreshold?: bigint): Promise<string> {
  const { db } = world.florin;
  const sendRules = { approvalThreshold: approvalThreshold as never, newRecipientDelaySeconds: 0 };
  const { payment } = (await sendToAddress(
    { db, sends: openSends({ db, sendRules }) },
    {
      destination: `0x${randomBytes(20).toString('hex')}`,
      amount: parseUsdc('1'),
      blockchain: HOME,
      currency: 'USDC',
      walletUsername: ada.username,
    },
  )) as unknown as { payment: { paymentId: string } };
  return payment.paymentId;
}

/** Everything that says to Ada or to everyone that she cannot pay, as text. */
async function readAll(): Promise<string[]> {
  const { florin } = world;
  const body = { sender_user_id: ada.userId, receiver_username: bob.username, amount: 1 };
  const sent = await send().then(
    () => '',
    (error: PayError) => JSON.stringify(renderProblem(error)),
  );
  return [
    JSON.stringify((await florin.send(body)).body),
    sent,
    JSON.stringify((await florin.get(`/api/v1/limits/${ada.userId}`)).body),
    JSON.stringify(await readGeneralPauses(florin.db)),
  ];
}

const KINDS = CAUSES.flatMap((cause) => {
  const wide = ['all', 'user', 'chain', `chain:${HOME}`];
  const scopes = cause === 'operator' ? [...wide, 'Ada'] : cause === 'closed' ? ['Ada'] : [`chain:${HOME}`];
  return scopes.map((scope) => ({ cause, scope }));
});
const SIGNING = ['drift', 'unexplained', 'contradicted', 'audit'];

describe('a pause', () => {
  it.each(KINDS)('of $scope for $cause', async ({ cause, scope: named }) => {
    const { admin } = world.florin;
    const scope = named === 'Ada' ? `user:${ada.userId}` : named;
    const stops = SIGNING.includes(cause) ? 'accepting and signing' : 'accepting';
    await admin.query('INSERT INTO pauses (scope, cause, reason, stops) VALUES ($1, $2, $3, $4)', [
      scope,
      cause,
      SECRET,
      stops,
    ]);
    if (named === 'Ada') await admin.query('SELECT ledger_pause_user($1, true)', [ada.userId]);
    const [row] = await admin.query<{ words: string }>('SELECT pause_words($1, $2) AS words', [scope, cause]);
    const { words } = row!;
    const said = await readAll();
    expect(said.filter((text) => LEAK.test(text))).toEqual([]);
    // Refusals, and either the limits of the person or the banner for everyone.
    const places: Record<string, number> = { all: 3, user: 2, chain: 2, [`chain:${HOME}`]: 2, Ada: 3 };
    expect(said.filter((text) => text.includes(words))).toHaveLength(places[named]!);
    const shown = [
      ...(cause === 'closed' ? [] : [await type('anna', 'pause', 'list')]),
      ...(named === 'Ada' ? [await type('anna', 'user', 'show', ada.userId)] : []),
    ];
    for (const text of shown) expect(text.replace(/\s+/g, ' ')).toContain(SECRET);
    await admin.query('DELETE FROM pauses');
    await admin.query('SELECT ledger_pause_user($1, false)', [ada.userId]);
    expect((await readAll()).filter((text) => text.includes(words))).toEqual([]);
  });

  it('has prepared words of its own for each cause, which fit after a colon', async () => {
    const rows = await world.florin.db.query<{ cause: string; words: string }>(
      'SELECT cause, pause_words(scope, cause) AS words FROM unnest($1::text[], $2::text[]) AS k(scope, cause)',
      [KINDS.map(({ scope }) => (scope === 'Ada' ? `user:${ada.userId}` : scope)), KINDS.map(({ cause }) => cause)],
    );
    for (const { words } of rows) expect(words).toMatch(/^[a-z][a-z ,]{10,90}[a-z]$/);
    const causes = new Map(rows.map(({ words, cause }) => [words, cause]));
    expect([...new Set(causes.values())].toSorted()).toEqual(CAUSES.toSorted());
  });
});

describe('the reason of an operator', () => {
  /** As both people and services see the payment; and as operators do. */
  async function read(id: string): Promise<{ shown: string; typed: string }> {
    const payment = (await readPayment(world.florin.db, id))!;
    const typed = await type('anna', 'payment', 'show', id);
    return { shown: JSON.stringify(renderPayment(payment)), typed: typed.replace(/\s+/g, ' ') };
  }

  it('for a denial', async () => {
    const id = await send(0n);
    await type('anna', 'payment', 'deny', id, '--why', SECRET);
    const { shown, typed } = await read(id);
    expect(shown).not.toMatch(LEAK);
    expect(shown).toContain('"error_reason":"the operator of this service has denied it"');
    expect(typed).toContain(SECRET);
  });
});

describe('a timeline', () => {
  const job = (kind: string, key: string, columns: string, values: string) =>
    `INSERT INTO jobs (kind, key, ${columns}) VALUES ('${kind} ${HOME}', '${key}', ${values})
     ON CONFLICT (kind, key) DO UPDATE SET (${columns}) = (${values})`;
  const pause = (cause: string, stops: string) =>
    `INSERT INTO pauses (scope, cause, reason, stops) VALUES ('chain:${HOME}', '${cause}', 'x', '${stops}')`;
  const held = (id: string) =>
    `INSERT INTO coin_moves (move_id, asset_id, wallet_id, purpose, rail, from_address, to_address, amount, reserved, started_at)
     SELECT '${id}', asset_id, wallet_id, 'send', 'provider', address, '0x1', 1000000, 0, now() FROM wallets, assets LIMIT 1;
     INSERT INTO provider_transfers (move_id, provider, key, attempts, first_asked_at, held_at, accelerations, accelerated_at)
     VALUES ('${id}', 'local', '${id}', 3, now(), now(), 1, now())`;
  const causes: Record<string, { readonly cause: (id: string) => string; readonly says: string }> = {
    'a pause': { cause: () => pause('drift', 'accepting and signing'), says: 'florin pause list' },
    'nodes that do not answer': {
      cause: () => job('track', HOME, 'last_error, attempts', `'${SECRET}', 9`),
      says: 'the nodes through which we reach it do not answer',
    },
    'no worker': {
      cause: () => job('track', HOME, 'run_at, attempts', `now() - interval '5 minutes', 0`),
      says: 'none has worked on',
    },
    'no gas': { cause: () => pause('gas', 'accepting'), says: 'a relayer can pay for the gas' },
    'missing coins': {
      cause: (id) => job('submit', id, 'waits_for, run_at', `'coins 1', now() + interval '1 hour'`),
      says: 'coins have arrived in our wallets',
    },
    'a held transfer': { cause: held, says: 'florin transfer held' },
    'a transfer with a higher fee': { cause: held, says: 'was asked to pay a higher fee' },
  };

  it.each(Object.entries(causes))('shows customers no internals of %s, and operators what it is', async (_, one) => {
    const { admin, db } = world.florin;
    const id = await send();
    await admin.query(`BEGIN; SET LOCAL session_replication_role = replica; ${one.cause(id)}; COMMIT`);
    const payment = (await readPayment(db, id))!;
    const { timeline } = renderPayment(payment) as { timeline: readonly { readonly note: string }[] };
    const notes = timeline.map(({ note }) => note);
    expect(notes.length).toBeGreaterThan(1);
    expect(notes.join('; ')).not.toMatch(
      /node|worker|relayer|signer|gas\b|our wallets|another wallet|florin|people decide/i,
    );
    const typed = await type('anna', 'payment', 'show', id);
    expect(typed.replace(/\s+/g, ' ')).toContain(one.says);
    await admin.query(`DELETE FROM pauses; DELETE FROM jobs WHERE kind LIKE 'track %'`);
  });
});
