/** Any order of changes leaves exactly the names public that their owners have made public. */
import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../../test/support/database/useTestDatabase.ts';
import { openRandom } from '../../../../test/support/prove/random.ts';
import { freshSeed, howMany } from '../../../../test/support/run/thorough.ts';
import { newId } from '../../core/ids.ts';
import { setDiscoverable } from '../setDiscoverable.ts';
import { findPublicName } from './findPublicName.ts';
import { setUsername } from './setUsername.ts';

const database = useTestDatabase();
const { db } = database;

interface Someone {
  readonly userId: string;
  name: string | null;
  isPublic: boolean;
  isClosed: boolean;
}

const NAMES = ['amber', 'birch', 'cedar', 'dahlia', 'elder', 'fern'];

async function arrive(): Promise<Someone> {
  const userId = newId();
  await db.query('INSERT INTO users (user_id, issuer, subject) VALUES ($1, $2, $3)', [userId, 'test', userId]);
  return { userId, name: null, isPublic: false, isClosed: false };
}

const succeeds = (attempt: Promise<unknown>): Promise<boolean> =>
  attempt.then(
    () => true,
    () => false,
  );

describe('public names', () => {
  it('are the current names of the open accounts whose owners have chosen it', async () => {
    const random = openRandom(freshSeed());
    const people = [await arrive(), await arrive(), await arrive(), await arrive()];
    for (let step = 0; step < howMany(80, 600); step++) {
      const one = random.pick(people);
      const deed = random.int(10);
      if (deed < 5) {
        const name = random.pick(NAMES);
        const change = { userId: one.userId, username: random.chance(0.5) ? name : name.toUpperCase() };
        if (await succeeds(db.tx((tx) => setUsername(tx, { cooldownDays: 0 }, change)))) one.name = name;
      } else if (deed < 9) {
        const isPublic = random.chance(0.6);
        const changed = await succeeds(db.tx((tx) => setDiscoverable(tx, one.userId, isPublic)));
        expect(changed).toBe(!one.isClosed);
        if (changed) one.isPublic = isPublic;
      } else if (people.length < 7 && random.chance(0.5)) {
        one.isClosed = (await succeeds(db.query('SELECT close_account($1, 90)', [one.userId]))) || one.isClosed;
        people.push(await arrive());
      }
      const wanted = people.flatMap(({ name, isPublic, isClosed }) => (name && isPublic && !isClosed ? name : []));
      const rows = await db.query<{ username: string }>('SELECT username FROM public_names ORDER BY 1');
      expect(rows.map(({ username }) => username)).toEqual(wanted.sort());
    }
    for (const name of NAMES) {
      const owner = people.find((one) => one.name === name && one.isPublic && !one.isClosed);
      expect(await findPublicName(db, name.toUpperCase())).toBe(owner && name);
    }
  });

  it('follow the last of concurrent changes', async () => {
    const one = await arrive();
    for (let round = 0; round < 8; round++) {
      const [name, isPublic] = [`round_${round}`, round % 2 === 0];
      await Promise.all([
        db.tx((tx) => setUsername(tx, { cooldownDays: 0 }, { userId: one.userId, username: name })),
        db.tx((tx) => setDiscoverable(tx, one.userId, isPublic)),
      ]);
      expect(await findPublicName(db, name)).toBe(isPublic ? name : undefined);
    }
  });

  it.each(['', 'a', 'ünter', "x' OR true --", 'bob\0', '<b>', 'x'.repeat(10_000), '\u202ebob'])(
    'do not include %j',
    async (text) => {
      expect(await findPublicName(db, text)).toBeUndefined();
    },
  );

  it('can be written by the trigger only', async () => {
    const one = await arrive();
    await expect(db.query("INSERT INTO public_names VALUES ('amber', $1)", [one.userId])).rejects.toMatchObject({
      code: '42501',
    });
  });
});
