/**
 * What the operator console reads with a million payments: 1,000 searches in equal shares of everything that people name,
 * misses included, one after another; and the figures of the home screen for each span. The readings are those of
 * `florin console`, called without HTTP, on a PostgreSQL whose caches are warm.
 */
import { READINGS } from '../server/src/bin/console/readings.ts';
import { answerReading } from '../server/src/http/console/reading.ts';
import { openAsset } from '../server/src/ledger/accounts.ts';
import { finish } from './support/finish.ts';
import { HOME, openWorld, percentile, round } from './support/ledgerWorld.ts';
import { sized } from './support/short.ts';

const PAYMENTS = sized(1_000_000, 2_000);
const PEOPLE = sized(100_000, 100);
const SEARCHES = sized(1_000, 40);
const HOMES = sized(5, 2);
const GOALS = { searchMs: 300, homeMs: 1_500 };

type Db = Awaited<ReturnType<Awaited<ReturnType<typeof openWorld>>['createDatabase']>>['db'];

export default async function benchConsole(): Promise<void> {
  const world = await openWorld();
  try {
    const { db } = await world.createDatabase('console');
    await fill(db);
    const read = (path: string, query: Record<string, string>) => time(db, path, query);

    const searched: { readonly kind: string; readonly ms: number }[] = [];
    const samples = await listSamples(db);
    const kinds = Object.keys(samples);
    for (let i = 0; i < SEARCHES; i++) {
      const kind = kinds[i % kinds.length]!;
      const words = samples[kind]!;
      searched.push({
        kind,
        ms: await read('/api/search', { q: words[Math.floor(i / kinds.length) % words.length]! }),
      });
    }
    const p95 = (all: readonly number[]) =>
      round(
        percentile(
          all.toSorted((a, b) => a - b),
          0.95,
        ),
      );
    console.log('search             p95 ms');
    for (const kind of kinds) {
      const ms = p95(searched.filter((one) => one.kind === kind).map((one) => one.ms));
      console.log(`${kind.padEnd(18)}${String(ms).padStart(7)}`);
    }
    const homes: Record<string, number[]> = {};
    for (const span of ['day', 'week', 'month']) {
      homes[span] = [];
      for (let i = 0; i < HOMES; i++) homes[span].push(await read('/api/home', { span }));
      console.log(`home, a ${span.padEnd(10)}${String(p95(homes[span])).padStart(7)}`);
    }
    const [searchMs, homeMs] = [p95(searched.map(({ ms }) => ms)), p95(homes.month!)];
    finish(
      'console',
      { payments: PAYMENTS, people: PEOPLE, search_p95_ms: searchMs, home_ms: homeMs, home_day_ms: p95(homes.day!) },
      {
        speed: {
          [`19 of 20 searches take at most ${GOALS.searchMs} ms`]: searchMs <= GOALS.searchMs,
          [`the home screen of a month takes at most ${GOALS.homeMs} ms`]: homeMs <= GOALS.homeMs,
        },
      },
    );
  } finally {
    await world.stop();
  }
}

/** People with names and e-mail addresses, and their payments of 30 days. Nothing checks these rows: they are only read. */
async function fill(db: Db): Promise<void> {
  const assetId = await openAsset(db, HOME, 'USDC');
  const name = `'p' || translate(lpad(i::text, 6, '0'), '0123456789', 'abcdefghjk')`;
  const account = (n: string) => `f.first + (${n}) % ${PEOPLE}`;
  await db.query(
    `SET session_replication_role = replica;
     INSERT INTO users (user_id, issuer, subject, email)
     SELECT gen_random_uuid(), 'bench', ${name}, ${name} || '@example.com' FROM generate_series(1, ${PEOPLE}) i;
     INSERT INTO usernames (username, user_id, claimed_at) SELECT subject, user_id, now() FROM users;
     INSERT INTO accounts (asset_id, kind, user_id, tier) SELECT ${assetId}, 'user', user_id, 0 FROM users;
     INSERT INTO transfers (transfer_id, seq, debit_account, credit_account, amount, debit_entry, credit_entry,
       debit_available, credit_available, created_at, asset_id, kind, from_name, to_name)
     SELECT gen_random_uuid(), i, ${account('i')}, ${account('i * 7 + 1')}, 1000 + i % 1000000, i, i, 0, 0,
            now() - interval '30 days' * (${PAYMENTS} - i) / ${PAYMENTS}, ${assetId}, 'user', 'payer', 'payee'
       FROM generate_series(1, ${PAYMENTS}) i, (SELECT min(account_id) AS first FROM accounts WHERE kind = 'user') f
      WHERE (i * 6 + 1) % ${PEOPLE} <> 0;
     SET session_replication_role = origin`,
  );
  await db.query('VACUUM (FREEZE, ANALYZE)');
}

/** Words of each kind that exist, and of each kind that do not. */
async function listSamples(db: Db): Promise<Record<string, readonly string[]>> {
  const list = async (sql: string) => (await db.query<{ word: string }>(`${sql} LIMIT 50`)).map(({ word }) => word);
  const ids = await list('SELECT transfer_id::text AS word FROM transfers TABLESAMPLE SYSTEM (1)');
  const names = await list('SELECT username AS word FROM usernames TABLESAMPLE SYSTEM (10)');
  return {
    name: names,
    'part of a name': names.map((name) => name.slice(1, 6)),
    'e-mail': await list('SELECT email AS word FROM users TABLESAMPLE SYSTEM (10)'),
    'id of a payment': ids,
    'start of an id': ids.map((id) => id.slice(0, 8)),
    amount: ['0.001', '0.002', '1'],
    'hash, unknown': ids.map((id) => `0x${id.replaceAll('-', '').repeat(2)}`),
    'address, unknown': ids.map((id) => `0x${id.replaceAll('-', '')}00000000`),
    'reference, unknown': ids.map((id) => `invoice ${id.slice(0, 5)}`),
    'name, unknown': ids.map((id) => `nobody_${id.slice(0, 4)}`),
  };
}

async function time(db: Db, path: string, query: Record<string, string>): Promise<number> {
  const reading = READINGS.find((one) => one.path === path)!;
  const began = performance.now();
  await answerReading(reading, { operator: 'bench', role: 'support', db }, {}, new URLSearchParams(query));
  return performance.now() - began;
}
