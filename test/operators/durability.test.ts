import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { findLosses } from '../../server/src/db/durability.ts';
import { observeDatabase } from '../../server/src/http/ops/observeDatabase.ts';
import { probeDatabase } from '../../server/src/http/ops/probes.ts';
import { useTestDatabase } from '../support/database/useTestDatabase.ts';
import { eventually } from '../support/eventually.ts';
import { evaluate, readAlerts } from '../support/http/alerts.ts';

const app = useTestDatabase();

const SAFE = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  synchronous_standby_names: '',
  standbys: 0,
  synchronous_standbys: 0,
  lag_seconds: null,
};

it.each([
  [{}, []],
  [{ fsync: 'off' }, ['fsync is off']],
  [{ full_page_writes: 'off' }, ['full_page_writes is off']],
  [{ synchronous_commit: 'off' }, ['synchronous_commit is off']],
  [{ standbys: 2, synchronous_standbys: null }, ['its standbys confirm no commits']],
  [{ standbys: 2, synchronous_standbys: 1, synchronous_standby_names: '*' }, []],
  [{ standbys: 2, synchronous_standbys: null, synchronous_standby_names: '*' }, []],
  [{ standbys: 2, synchronous_standbys: 0, synchronous_standby_names: 'db2' }, ['its standbys confirm no commits']],
  [
    { standbys: 1, synchronous_standbys: 1, synchronous_standby_names: '*', synchronous_commit: 'local' },
    ['its standbys confirm no commits'],
  ],
])('with %j an answered payment could be lost: %j', (durability, losses) => {
  const found = findLosses({ ...SAFE, ...durability });
  expect(found.map((says) => says.split(':')[0])).toEqual(losses);
});

it('/readyz and an alert report it; the database is still ready', async () => {
  const [seen] = await probeDatabase(app.db, () => {}).run();
  const {
    status,
    durability,
    can_lose: says,
  } = seen as unknown as {
    status: string;
    durability: typeof SAFE;
    can_lose?: string[];
  };
  expect(status).toBe('ok');
  // The tests' PostgreSQL is not durable, unless the developer provides one.
  expect(says ?? []).toEqual(findLosses(durability));
  const registry = new Registry();
  observeDatabase(registry, app.db);
  const alert = readAlerts().find(({ name }) => name === 'FlorinDatabaseCanLose')!;
  // Metrics do not wait long for a busy database.
  await eventually(async () => {
    const text = await registry.metrics();
    expect(evaluate(alert.expr, text, text)).toHaveLength(says ? 1 : 0);
  });
});
