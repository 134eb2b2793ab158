/** Days and times mean the same wherever the operator, the process and the database are. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tx } from '../../server/src/db/database.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/openTestDatabase.ts';
import { KEY } from '../support/guards/clauses/ids.ts';
import { putRow } from '../support/guards/clauses/putRow.ts';
import { operate } from '../support/operate.ts';

/** With their offset from UTC in minutes, in January. */
const ZONES = { UTC: 0, 'Pacific/Kiritimati': 840, 'America/Los_Angeles': -480, 'Asia/Kolkata': 330 } as const;
const zones = Object.keys(ZONES) as (keyof typeof ZONES)[];

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.remove());

async function inZone<T>(zone: keyof typeof ZONES, work: () => Promise<T>): Promise<T> {
  const before = process.env.TZ;
  process.env.TZ = zone;
  try {
    expect(new Date(2027, 0, 1).getTimezoneOffset()).toBe(0 - ZONES[zone]);
    return await work();
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
}

describe.each(zones)('an operator in %s', (zone) => {
  it.each([
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T12:00Z', '2027-01-31T12:00:00.000Z'],
    ['2027-01-31T23:59:59Z', '2027-01-31T23:59:59.000Z'],
  ])('who writes %s means that time in UTC', async (written, meant) => {
    const said = await inZone(zone, () =>
      operate(database.db, 'key', 'create', 'robot', '--scope', 'send', '--any-wallet', '--expires', written),
    );
    const id = /Key (\S+)/.exec(said)![1]!;
    const [row] = await database.db.query<{ at: string }>(
      'SELECT extract(epoch FROM expires_at)::text AS at FROM key_rules WHERE key_id = $1',
      [id],
    );
    expect(new Date(Number(row!.at) * 1_000).toISOString()).toBe(meant);
    const list = await inZone(zone, () => operate(database.db, 'key', 'list'));
    expect(list).toBe(await operate(database.db, 'key', 'list'));
  });

  it.each([
    '2027-13-31',
    '2027-02-30',
    '2027-1-31',
    '31.01.2027',
    '2027-01-31T12:00',
    '2027-01-31T12:00+02:00',
    'tomorrow',
    '',
  ])('who writes "%s" is refused', async (written) => {
    const create = () =>
      operate(database.db, 'key', 'create', 'robot', '--scope', 'send', '--any-wallet', `--expires=${written}`);
    await expect(inZone(zone, create)).rejects.toThrow(/is not a day|there is no day/);
  });
});

describe.each(zones)('a database in %s', (zone) => {
  /** The result of a statement there; nothing is stored. */
  async function ask(sql: string, prepare: (tx: Tx) => Promise<void> = async () => {}): Promise<unknown> {
    let said: unknown;
    const undone = new Error('undone');
    await database.admin
      .tx(async (tx) => {
        await tx.query(`SET LOCAL session_replication_role = 'replica'`);
        await tx.query(`SET LOCAL TIME ZONE '${zone}'`);
        await prepare(tx);
        [{ said } = { said }] = await tx.query<{ said: unknown }>(sql);
        throw undone;
      })
      .catch((error: unknown) => {
        if (error !== undone) throw error;
      });
    return said;
  }

  it.each([
    ['of a day', 'day', '1970-01-06T05:00:00.000Z'],
    ['of a month', 'month', '1970-02-04T05:00:00.000Z'],
  ])('writes in UTC when a limit %s resets', async (_, span, at) => {
    expect(await ask(`SELECT limit_resets_at(1, 100, '${span}') AS said`)).toBe(at);
  });

  it('counts from the oldest spending in the window', async () => {
    const prepare = async (tx: Tx) => {
      for (const [hour, spent] of [
        [75, 5],
        [76, 0],
        [77, 5],
        [99, 5],
      ])
        await putRow(tx, 'spendings', { account_id: 1, hour, spent });
    };
    expect(await ask(`SELECT limit_resets_at(1, 100, 'day') AS said`, prepare)).toBe('1970-01-05T06:00:00.000Z');
  });

  it('writes in UTC when the limit of a key resets, and when a key ends', async () => {
    const refusal = `SELECT key_limit_refusal('day', 5, 1, '2027-01-31 12:00:00+00')->'details'->>'resets_at' AS said`;
    expect(await ask(refusal)).toBe('2027-01-31T12:00:00.000Z');
    const described = await ask(`SELECT describe_key('${KEY}')->>'expires_at' AS said`, (tx) =>
      putRow(tx, 'key_rules', { key_id: KEY, expires_at: '2027-01-31 12:00:00.5+00' }),
    );
    expect(described).toBe('2027-01-31T12:00:00.500Z');
  });
});
