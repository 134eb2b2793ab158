/**
 * Can the time of an answer reveal who exists? Calls about known and unknown people, against a server in production
 * mode, in alternating order, so that a busy machine slows both alike. A difference counts as noise if randomly
 * swapping the labels within pairs gives one as large in more than one of a hundred cases.
 *
 * Calls whose answer itself reveals it (a name is taken, a receiver does not exist) are not here: rate limits bound
 * those.
 */
import { randomUUID } from 'node:crypto';
import { openDatabase } from '../server/src/db/database.ts';
import { type Production, startProduction } from '../test/support/production.ts';
import { useTestPostgres } from '../test/support/startTestPostgres.ts';
import { finish } from './support/finish.ts';
import { median, percentile, round } from './support/ledgerWorld.ts';
import { sized } from './support/short.ts';

const PAIRS = Number(process.env.BENCH_PAIRS ?? sized(600, 10));
const WARM_UP_PAIRS = sized(50, 2);
const PEOPLE = sized(200, 10);
const SHUFFLES = sized(400, 20);
const QUOTA = 10_000_000;

interface Who {
  readonly userId: string;
  readonly name: string;
}
/** The request is built before the clock starts. */
type Ask = (who: Who) => Promise<Parameters<Production['call']>> | Parameters<Production['call']>;

export default async function benchTiming(): Promise<void> {
  const postgres = await useTestPostgres();
  const quotas = ['address', 'login', 'user', 'kyc'].map((name) => `${name}=${QUOTA}`).join(', ');
  const florin = await startProduction({ FLORIN_RATE_LIMITS: quotas, FLORIN_LOG_LEVEL: 'warn' });
  try {
    const known = await createPeople(florin.databaseUrl);
    const asks = await prepareAsks(florin);
    console.log(`${PAIRS} pairs each           known µs   unknown µs   difference µs   noise µs`);
    const results: Record<string, { known_us: number; unknown_us: number; noise_us: number; differs: boolean }> = {};
    for (const [name, status, ask] of asks) {
      const pairs = await measure(florin, ask, status, known);
      const [a, b] = [median(pairs.map(([one]) => one)), median(pairs.map(([, other]) => other))];
      const noise = noiseOf(pairs);
      const differs = Math.abs(a - b) > noise;
      const cells = [a, b, a - b, noise].map((us, i) => String(Math.round(us)).padStart([11, 13, 16, 11][i]!));
      console.log(`${name.padEnd(22)}${cells.join('')}${differs ? '   differs' : ''}`);
      results[name] = { known_us: round(a, 1), unknown_us: round(b, 1), noise_us: round(noise, 1), differs };
    }
    const differing = Object.values(results).filter(({ differs }) => differs).length;
    finish('timing', { pairs: PAIRS, differing, calls: results });
  } finally {
    await florin.stop();
    await postgres.stop();
  }
}

/** Inserts people as login and `set_username` would. */
async function createPeople(databaseUrl: string): Promise<Who[]> {
  const people = Array.from({ length: PEOPLE }, (_, i) => ({ userId: randomUUID(), name: `person_${i}k` }));
  const db = openDatabase(databaseUrl, { maxConnections: 1 });
  const columns = [people.map(({ userId }) => userId), people.map(({ name }) => name)];
  await db.query(
    `INSERT INTO users (user_id, issuer, subject, email, email_verified)
     SELECT p.id, 'https://issuer.example', p.name, p.name || '@example.com', true
       FROM unnest($1::uuid[], $2::text[]) AS p(id, name)`,
    columns,
  );
  await db.query(
    `INSERT INTO username_skeletons (skeleton, user_id)
     SELECT username_skeleton(p.name), p.id FROM unnest($1::uuid[], $2::text[]) AS p(id, name)`,
    columns,
  );
  await db.query(
    `INSERT INTO usernames (username, user_id, claimed_at)
     SELECT p.name, p.id, now() FROM unnest($1::uuid[], $2::text[]) AS p(id, name)`,
    columns,
  );
  await db.query('ANALYZE users, usernames');
  await db.close();
  return people;
}

/** The name, the status that known and unknown people must both get, and the call. */
async function prepareAsks(florin: Production): Promise<[string, number, Ask][]> {
  const idToken = await florin.issuer.sign({ sub: 'asker', email: 'asker@example.com', email_verified: true });
  const login = await florin.call('POST', '/api/v1/login', { id_token: idToken });
  const bearer = { authorization: `Bearer ${login.body.access_token}` };
  const get = (path: string): ReturnType<Ask> => ['GET', path, undefined, bearer];
  const post = (path: string, body?: unknown): ReturnType<Ask> => {
    return ['POST', path, body, { ...bearer, 'idempotency-key': randomUUID() }];
  };
  const forge: Ask = async ({ name }) => {
    const token = await florin.issuer.sign({ sub: name, email: `${name}@example.com`, email_verified: true });
    return ['POST', '/api/v1/login', { id_token: `${token.slice(0, -8)}AAAAAAAA` }];
  };
  return [
    ['login, forged', 401, forge],
    ['KYC by email', 403, ({ name }) => get(`/api/v1/kyc/status/${name}@example.com`)],
    ['KYC by id', 403, ({ userId }) => post(`/api/v1/kyc/check-status/${userId}`)],
    ['history by username', 403, ({ name }) => get(`/api/v1/latest_transactions_by_username/${name}`)],
    ['limits by id', 403, ({ userId }) => get(`/api/v1/limits/${userId}`)],
    ['username for id', 403, ({ userId }) => post('/api/v1/set_username', { user_id: userId, username: 'free_name' })],
    [
      'payment from id',
      403,
      ({ userId }) => post('/api/v1/send_usdc', { sender_user_id: userId, receiver_username: 'person_0k', amount: 1 }),
    ],
  ];
}

/** Microseconds for a known and for an unknown person, in pairs. */
async function measure(
  florin: Production,
  ask: Ask,
  wanted: number,
  known: readonly Who[],
): Promise<[number, number][]> {
  const time = async (who: Who): Promise<number> => {
    const call = await ask(who);
    const began = performance.now();
    const { status } = await florin.call(...call);
    const us = (performance.now() - began) * 1000;
    if (status !== wanted) throw new Error(`status ${status}, not ${wanted}`);
    return us;
  };
  const pairs: [number, number][] = [];
  for (let nth = 0; nth < WARM_UP_PAIRS + PAIRS; nth++) {
    const one = known[nth % known.length]!;
    // An unknown name of the same length.
    const other = { userId: randomUUID(), name: one.name.replace(/k$/, 'u') };
    const isKnownFirst = nth % 2 === 0;
    const first = await time(isKnownFirst ? one : other);
    const second = await time(isKnownFirst ? other : one);
    if (nth >= WARM_UP_PAIRS) pairs.push(isKnownFirst ? [first, second] : [second, first]);
  }
  return pairs;
}

/** The 99th percentile of the differences that chance alone makes. */
function noiseOf(pairs: readonly (readonly [number, number])[]): number {
  const differences = Array.from({ length: SHUFFLES }, () => {
    const shuffled = pairs.map(([a, b]) => (Math.random() < 0.5 ? [a, b] : [b, a]) as [number, number]);
    return Math.abs(median(shuffled.map(([one]) => one)) - median(shuffled.map(([, other]) => other)));
  });
  return percentile(
    differences.toSorted((a, b) => a - b),
    0.99,
  );
}
