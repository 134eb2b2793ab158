/**
 * Plans must not depend on statistics (`docs/planner.md`). A server plans its statements while the tables are empty, the
 * tables grow, and then each operation of servers, workers and operators runs once more: its functions must still find rows
 * by index. This holds for functions with planner settings, and for those that they call.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Logins, type TestDatabase, urlAs } from '../support/database.ts';
import { CLEAR, FILL, FILLED } from '../support/planner/fillTables.ts';
import { openLastingSide } from '../support/planner/openLastingSide.ts';
import { EXPLAIN_ALL, openPlanRecorder, type PlanRecorder, type Ran } from '../support/planner/recordPlans.ts';
import { buildScene } from '../support/prove/races/buildScene.ts';
import { openSide, type Side } from '../support/prove/races/openSide.ts';
import { openWorld, type RaceWorld, RESET } from '../support/prove/races/openWorld.ts';
import { toAnswer } from '../support/prove/races/operations/toAnswer.ts';
import { OPERATIONS } from '../support/prove/races/operations.ts';
import { openRandom } from '../support/prove/random.ts';
import { howMany } from '../support/run/thorough.ts';

/** Commands of operators, and rare ones of people: PostgreSQL plans a statement anew for its first five calls in a session. */
const RARE =
  /refund|denie|approve|close|cancel|imported|revoked|lowered|corrected|collected|tier|paused|resumed|ended|rejected|declines|withdraws|renames|same_name/;

/**
 * Servers and workers call these directly, and they have no settings: they may read whole tables until the next ANALYZE. Each
 * looks up single rows, few times per payment. `payment_waits` and the trigger `move_reservation` get their plans from their
 * first caller in a session, and again after PostgreSQL has dropped its cached plans.
 */
const WITHOUT_SETTINGS = [
  'ask_for_money',
  'follow_carried',
  'guard_coin_move',
  'guard_deposit',
  'move_reservation',
  'payment_waits',
  'refuse_closed',
];

/** These read everyone of a status, or compare text in a way that no index serves. Only operators call them. */
const READS_ALL = ['follow_kyc_tier', 'write_key_rules'];

/** Functions that race operations do not reach. */
const CALLS = [
  `SELECT * FROM follow_events(ARRAY['00000000-0000-0000-0000-000000000000'::uuid], 0, 10, 100)`,
  'SELECT * FROM read_events(0, NULL, 10, 100)',
  'SELECT * FROM last_event()',
  'SELECT * FROM touched_wallets(0, 10)',
];
const RARE_CALLS = [`SELECT claim_unexplained('00000000-0000-0000-0000-000000000000')`, 'SELECT ledger_rebase()'];

type Statistics = 'none' | 'of empty tables' | 'current';
const STATES = howMany<Statistics[]>(['of empty tables'], ['none', 'of empty tables', 'current']);

describe.each(STATES)('with statistics: %s', (statistics) => {
  let plans: PlanRecorder;
  let world: RaceWorld;
  let lasting: Side;
  let fresh: Side;
  let ran: Ran[];

  const act = async (name: string, isWarm: boolean) => {
    const operation = OPERATIONS[name]!;
    const scene = await buildScene(world, openRandom(1), new Set(operation.needs ?? []));
    operation.prepare?.(scene);
    const found = await plans.record(async () => {
      const answer = await toAnswer(operation.run(RARE.test(name) ? fresh : lasting, scene));
      expect(String(answer), name).not.toMatch(/^error/);
    });
    await world.owner.query(isWarm ? `${RESET}; ${CLEAR}` : RESET);
    return found;
  };
  /** One after another: so all use the same session. */
  const call = (side: Side, calls: readonly string[]) =>
    plans.record(async () => {
      for (const sql of calls) await side.db.query(sql);
    });

  beforeAll(async () => {
    plans = openPlanRecorder();
    world = await openWorld();
    const { owner } = world;
    await owner.query(EXPLAIN_ALL);
    const { rows } = await owner.query<{ alter: string }>(
      `SELECT format('ALTER TABLE %s SET (autovacuum_enabled = off, fillfactor = 100)', oid::regclass) AS alter
         FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
    );
    for (const { alter } of rows) await owner.query(alter);
    if (statistics === 'of empty tables') await owner.query('ANALYZE');
    const { rows: names } = await owner.query<{ name: string }>('SELECT current_database() AS name');
    const urlOf = (login: keyof Logins) => urlAs(`postgres://any/${names[0]!.name}`, login);
    const database = { url: urlOf('tester'), urlOf } as TestDatabase;
    // The worst case: a plan is made at the first call and kept.
    lasting = openLastingSide(database, '-c plan_cache_mode=force_generic_plan');
    fresh = openSide(database, (url) => url);

    const often = Object.keys(OPERATIONS).filter((name) => !RARE.test(name));
    for (const name of often) await act(name, true);
    await call(lasting, CALLS);
    await owner.query(FILL);
    if (statistics === 'current') await owner.query('ANALYZE');
    ran = [];
    for (const name of Object.keys(OPERATIONS)) ran.push(...(await act(name, false)));
    ran.push(...(await call(lasting, CALLS)), ...(await call(fresh, RARE_CALLS)));
  });
  afterAll(async () => {
    await Promise.all([lasting.close(), fresh.close()]);
    await world.close();
    plans.close();
  });

  /** Functions with the tables that they read completely. Foreign keys are checked with plans of their own. */
  const findScans = (plansOf: readonly Ran[], tables: readonly string[]): string[] => {
    const found = plansOf.flatMap(({ functions, plan }) =>
      functions.length === 0 || plan.includes('SELECT 1 FROM ONLY')
        ? []
        : [...plan.matchAll(/Seq Scan on (\w+)/g)]
            .filter(([, table]) => tables.includes(table!))
            .map(([, table]) => `${functions[0]} reads ${table}`),
    );
    return [...new Set(found)].sort();
  };

  it('functions find rows by index', () => {
    const isKnown = (scan: string) => {
      const [name] = scan.split(' ');
      return READS_ALL.includes(name!) || (statistics === 'of empty tables' && WITHOUT_SETTINGS.includes(name!));
    };
    expect(findScans(ran, FILLED).filter((scan) => !isKnown(scan))).toEqual([]);
  });

  it('functions that have lost their settings are among those that ran', () => {
    const names = new Set(ran.flatMap(({ functions }) => functions));
    expect(names.size).toBeGreaterThan(110);
    expect([...names]).toEqual(
      expect.arrayContaining(['ledger_hold_many', 'ledger_pay_many', 'own_places', 'record_state']),
    );
  });

  it('the check sees a plan that was made for an empty table', async () => {
    const { owner } = world;
    await owner.query(`CREATE TABLE growing (id uuid PRIMARY KEY);
      CREATE FUNCTION find_growing() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
      BEGIN RETURN EXISTS (SELECT FROM growing WHERE id = '00000000-0000-0000-0000-000000000000'); END $$`);
    // A busy PostgreSQL may make a session forget its plans at any moment: then once more.
    for (let tries = 0; tries < 20; tries++) {
      await owner.query('TRUNCATE growing; ANALYZE growing');
      await call(lasting, ['SELECT find_growing()']);
      await owner.query('INSERT INTO growing SELECT gen_random_uuid() FROM generate_series(1, 3000)');
      const found = await call(lasting, ['SELECT find_growing()']);
      if (findScans(found, ['growing']).length > 0) return;
    }
    expect.unreachable('the sequential scan of find_growing was never seen');
  });
});
