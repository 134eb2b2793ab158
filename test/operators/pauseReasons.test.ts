/**
 * Causes every reason for which sends pause, once. Sends pause with that reason; accepted sends are held and not lost;
 * refused sends can be repeated under their key; and everything continues after the steps that docs/custody.md names.
 */
import { readFileSync } from 'node:fs';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describePauseEnd } from '../../server/src/bin/doctor/checkDatabase.ts';
import { observeDatabase } from '../../server/src/http/ops/observeDatabase.ts';
import { CAUSES, listPauses, readGeneralPauses } from '../../server/src/operators/pauses.ts';
import { readPayment } from '../../server/src/payments/read/readPayment.ts';
import { listPauseReasons, readReasons } from '../support/alarms/listPauseReasons.ts';
import { PAUSE_CASES, type PausedScene } from '../support/alarms/pauseCases.ts';
import { randomAddress, startCustody } from '../support/chain/custody.ts';
import { TEST_PROVIDER } from '../support/chain/provider.ts';
import { eventually } from '../support/eventually.ts';
import { findFiring } from '../support/http/alerts.ts';
import { operate } from '../support/operate.ts';
import { asOperator, nameOperators } from '../support/operators.ts';
import { judgeEnd } from '../support/properties/judgeEnd.ts';
import { HOME } from '../support/values.ts';

let scene: PausedScene;
const seen: { readonly cause: string; readonly reason: string }[] = [];

beforeAll(async () => {
  const world = await startCustody({ startBlock: 2n, missingAfterMs: 0 }, { mixed: true });
  await world.mine(3);
  const ada = await world.person('ada', '100');
  const eve = await world.person('eve', '100', TEST_PROVIDER);
  await world.credit();
  await nameOperators(world.databaseUrl, { anna: 'admin', rita: 'risk' });
  const as =
    (who: 'anna' | 'rita') =>
    (...args: string[]) =>
      asOperator(world.databaseUrl, who, (db) => operate(db, ...args));
  scene = { world, ada, eve, type: as('anna'), typeAsSecond: as('rita') };
});
afterAll(() => scene.world.stop());

const readPauses = async () =>
  (await listPauses(scene.world.db)).toSorted((one, other) => (one.cause < other.cause ? -1 : 1));
const countSignatures = async (id: string) =>
  (await scene.world.db.query('SELECT FROM signatures WHERE move_id = $1', [id])).length;
const isHeld = async (id: string) =>
  (
    await scene.world.db.query<{ held: boolean }>(
      `SELECT NOT EXISTS (SELECT FROM transfers e WHERE e.hold_id = h.transfer_id) AS held
         FROM transfers h WHERE h.transfer_id = $1 AND h.kind = 'hold'`,
      [id],
    )
  )[0]?.held;

/** Alerts on what is in the database, as a process reports it. */
async function listFiring(): Promise<string[]> {
  const registry = new Registry();
  observeDatabase(registry, scene.world.db);
  return findFiring(await registry.metrics()).toSorted();
}

const leaves = () =>
  seen.flatMap(
    ({ reason }) =>
      /^(?:paid although its hold was released|cancelled on chain although it was paid): (\S+)$/.exec(reason)?.[1] ??
      [],
  );

describe('sends pause', () => {
  it.each(PAUSE_CASES)('when $name', async ({ name, pauses, alerts = [], happen, notice, repair, removes }) => {
    const { world } = scene;
    const destination = randomAddress();
    const request = { amount: '1', walletUsername: 'ada', destination };
    await happen(scene);
    expect(await readPauses()).toEqual([]);
    const early = await world.send(request);
    await notice(scene);

    const paused = await readPauses();
    expect(paused).toMatchObject(pauses.map(([cause]) => ({ scope: `chain:${HOME}`, cause })));
    for (const [i, [, says]] of pauses.entries()) expect(paused[i]!.reason).toMatch(says);
    seen.push(...paused);
    await eventually(async () => expect(await listFiring()).toEqual(['FlorinSendsPaused', ...alerts].toSorted()));
    const key = { caller: 'robot', route: '/wallet/send-usdc', text: name };
    // Customers read prepared words, whatever the stored reason says.
    const words = (await readGeneralPauses(world.db)).map(({ reason }) => reason);
    for (const one of words) expect(one).toMatch(/^[a-z ,]+$/);
    await expect(world.send({ ...request, key })).rejects.toMatchObject({
      code: 'service.paused',
      details: { reason: expect.stringMatching(new RegExp(`^(?:${words.join('|')})$`)) },
    });
    const stopsSigning = paused.some(({ stops }) => stops === 'accepting and signing');
    for (let i = 0; i < 2; i++) await world.work();
    for (const { note } of (await readPayment(world.db, early))!.timeline)
      expect(note).not.toMatch(/0x|\bwei\b|slot|block \d|https?:/);
    expect(await isHeld(early)).toBe(true);
    if (stopsSigning) expect(await countSignatures(early)).toBe(0);

    await repair?.(scene);
    for (const cause of removes) {
      const remove = ['pause', 'remove', `chain:${HOME}`, ...(cause === 'operator' ? [] : ['--cause', cause])];
      await scene.type(...remove);
    }
    expect(await readPauses()).toEqual([]);
    const late = await world.send({ ...request, key });
    await world.settleDown();
    expect([(await world.get(early)).state, (await world.get(late)).state]).toEqual(['COMPLETE', 'COMPLETE']);
    expect(await world.balance(destination)).toBe(2_000_000n);
    expect(await readPauses()).toEqual([]);
    await eventually(async () => expect(await listFiring()).toEqual([]));
    // The books show both sides forever of what the chain has contradicted.
    expect((await world.faults()).filter((fault) => !leaves().some((id) => fault.includes(id)))).toEqual([]);
  });

  it('and after all of them everything has ended, and every balance is explained', async () => {
    expect(await judgeEnd(scene.world)).toEqual([]);
    expect(leaves()).toHaveLength(2);
    const contradicted = (await scene.world.faults()).map((fault) => /^the hold (\S+) was /.exec(fault)?.[1] ?? fault);
    expect(contradicted.toSorted()).toEqual(leaves().toSorted());
  });

  it('for no reason in the code that was not caused here', () => {
    const isSeen = ({ cause, says }: ReturnType<typeof listPauseReasons>[number]) =>
      seen.some((one) => one.cause === cause && says.test(one.reason));
    expect(listPauseReasons().filter((one) => !isSeen(one))).toEqual([]);
    expect([...new Set(seen.map(({ cause }) => cause))].toSorted()).toEqual(
      // `closed` concerns one person: test/customers/closing.test.ts.
      CAUSES.filter((cause) => cause !== 'closed').toSorted(),
    );
  });
});

it('the list of reasons is read from the code', () => {
  const read = (text: string) => readReasons('a.ts', text).map(({ cause, says }) => `${cause} ${says.source}`);
  expect(read(`pauseSends(tx, chain, 'drift', 'a (b)')`)).toEqual(['drift ^a \\(b\\)$']);
  expect(
    read(`const why = x ? \`a \${y} b\` : 'c'; f(() => { pauseSends(tx, chain, 'gas', why.slice(0, 5)); });`),
  ).toEqual(['gas ^a .+ b$', 'gas ^c$']);
  expect(read(`const tell = (why) => pauseSends(tx, chain, 'gas', why); tell('one'); tell('two');`)).toEqual([
    'gas ^one$',
    'gas ^two$',
  ]);
  expect(() => read('pauseSends(tx, chain, cause, reason)')).toThrow('without a cause');
});

it('florin doctor names what ends each cause: the check first, then the command', () => {
  const endOf = (cause: string) =>
    describePauseEnd({ scope: `chain:${HOME}`, cause: cause as (typeof CAUSES)[number] });
  for (const cause of new Set(PAUSE_CASES.flatMap(({ removes }) => removes)))
    expect(endOf(cause)).toMatch(
      new RegExp(
        `florin pause remove ${cause === 'operator' ? `chain:${HOME}$` : `chain:${HOME} --cause ${cause}( |$)`}`,
      ),
    );
  expect(endOf('unexplained')).toContain('florin payment import');
  expect(endOf('gas')).toContain(`florin relayer fund-address ${HOME};`);
});

it('every cause is documented, with the command that ends it', () => {
  const text = readFileSync(new URL('../../docs/custody.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `(\w+)` \| .+? \| (.+?) \|$/gm)].map(([, cause, what]) => ({ cause, what }));
  expect(rows.map(({ cause }) => cause).toSorted()).toEqual(CAUSES.filter((cause) => cause !== 'closed').toSorted());
  for (const cause of new Set(PAUSE_CASES.flatMap(({ removes }) => removes)))
    expect(rows.find((one) => one.cause === cause)!.what).toMatch(
      cause === 'operator'
        ? /florin pause remove SCOPE/
        : new RegExp(`florin pause remove chain:\\w+ --cause ${cause}`),
    );
});
