import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../../test/support/database/useTestDatabase.ts';
import { asAdmin } from '../../../../test/support/database.ts';
import { newId } from '../../core/ids.ts';
import { findByUsername, findOwnName } from './findByUsername.ts';
import { setUsername } from './setUsername.ts';

const database = useTestDatabase();
const { db } = database;

async function newUser(): Promise<string> {
  const userId = newId();
  await db.query('INSERT INTO users (user_id, issuer, subject) VALUES ($1, $2, $3)', [userId, 'test', userId]);
  return userId;
}

const claim = (userId: string, username: string, cooldownDays = 30) =>
  db.tx((tx) => setUsername(tx, { cooldownDays }, { userId, username }));

const refusal = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'accepted',
    (error) => error.code,
  );

describe('a username', () => {
  it('is lower-cased, and setting it again changes nothing', async () => {
    const user = await newUser();
    expect(await claim(user, 'Alice_01')).toEqual({ userId: user, username: 'alice_01', previousUsername: null });
    expect(await claim(user, 'ALICE_01')).toMatchObject({ username: 'alice_01', previousUsername: null });
  });

  it.each([
    '',
    'ab',
    'a'.repeat(31),
    'with space',
    'dash-ed',
    'dot.ted',
    'ålice',
    '\u212Aelvin',
    'alice\n',
    '@alice',
    'a\0bc',
  ])('cannot be %j', async (username) => {
    expect(await refusal(claim(await newUser(), username))).toBe('username.invalid');
  });

  it('of an unknown person is refused', async () => {
    expect(await refusal(claim(newId(), 'nobody_at_all'))).toBe('user.unknown');
  });

  it.each(['admin', 'ADMIN', 'support', 'supp0rt', 'f1orin', 'f_l_o_r_i_n', 'treasury', 'usdc'])(
    'cannot be the reserved %s',
    async (username) => {
      expect(await refusal(claim(await newUser(), username))).toBe('username.taken');
    },
  );

  it.each([
    ['barney', 'bamey'],
    ['modern', 'modem'],
    ['bob_jones', 'bobjones'],
    ['oscar', '0scar'],
    ['lily', '1ily'],
    ['c_o_o_l', 'c00l'],
    ['tor_nado', 'tomado'],
  ])('%s cannot be joined by its look-alike %s', async (taken, lookAlike) => {
    expect(await refusal(claim(await newUser(), taken))).toBe('accepted');
    expect(await refusal(claim(await newUser(), lookAlike))).toBe('username.taken');
  });

  it('may be changed by its owner to a look-alike of itself', async () => {
    const user = await newUser();
    await claim(user, 'carol_smith');
    expect(await claim(user, 'carolsmith')).toMatchObject({ previousUsername: 'carol_smith' });
  });

  it('claimed by 40 people concurrently goes to exactly one, look-alikes included', async () => {
    const users = await Promise.all(Array.from({ length: 40 }, newUser));
    const spellings = ['golden', 'g0lden', 'gol_den', 'g01den'];
    const outcomes = await Promise.all(users.map((user, i) => refusal(claim(user, spellings[i % 4]!))));
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'username.taken')).toHaveLength(39);
  });

  it('changed by one person in parallel ends as one name', async () => {
    const user = await newUser();
    await claim(user, 'first_name');
    await Promise.all(['second_name', 'third_name', 'fourth_name'].map((name) => refusal(claim(user, name))));
    const names = await db.query('SELECT 1 FROM usernames WHERE user_id = $1 AND redirect_until IS NULL', [user]);
    expect(names).toHaveLength(1);
  });
});

describe('a changed username', () => {
  const backdate = async (userId: string, days: number) => {
    const changes =
      'UPDATE username_changes SET changed_at = changed_at - make_interval(days => $2) WHERE user_id = $1';
    await asAdmin(database.url, changes, [userId, days]);
    const names = 'UPDATE usernames SET redirect_until = redirect_until - make_interval(days => $2) WHERE user_id = $1';
    await asAdmin(database.url, names, [userId, days]);
  };

  it('leads from the old name to the new one, which no one else can take for 90 days', async () => {
    const user = await newUser();
    await claim(user, 'old_harbour');
    expect(await claim(user, 'new_harbour')).toMatchObject({
      username: 'new_harbour',
      previousUsername: 'old_harbour',
    });
    expect(await findByUsername(db, 'Old_Harbour')).toEqual({
      userId: user,
      username: 'new_harbour',
      redirectedFrom: 'old_harbour',
    });
    expect(await findByUsername(db, 'new_harbour')).toEqual({
      userId: user,
      username: 'new_harbour',
      redirectedFrom: null,
    });

    // Only their own names lead to them.
    for (const [name, from] of [
      ['OLD_harbour', 'old_harbour'],
      ['new_harbour', null],
    ] as const) {
      expect(await findOwnName(db, user, name)).toEqual({
        userId: user,
        username: 'new_harbour',
        redirectedFrom: from,
      });
    }
    const other = await newUser();
    expect(await findOwnName(db, other, 'new_harbour')).toBeUndefined();
    expect(await findOwnName(db, user, "new_harbour' --")).toBeUndefined();
    expect(await refusal(claim(other, 'oldharbour'))).toBe('username.taken');
    await backdate(user, 89);
    expect(await refusal(claim(other, 'old_harbour'))).toBe('username.taken');
    await backdate(user, 2);
    expect(await findByUsername(db, 'old_harbour')).toBeUndefined();
    expect(await findOwnName(db, user, 'old_harbour')).toBeUndefined();
    expect(await refusal(claim(other, 'old_harbour'))).toBe('accepted');
    expect(await findByUsername(db, 'old_harbour')).toMatchObject({ userId: other });
  });

  it('can be corrected once immediately, and then waits', async () => {
    const user = await newUser();
    await claim(user, 'typo_nmae');
    expect(await refusal(claim(user, 'typo_name'))).toBe('accepted');
    expect(await refusal(claim(user, 'another_name'))).toBe('username.cooldown');
    await backdate(user, 31);
    expect(await refusal(claim(user, 'another_name'))).toBe('accepted');
  });

  it('can be taken back by its owner', async () => {
    const user = await newUser();
    await claim(user, 'there_and');
    await claim(user, 'back_again');
    await backdate(user, 31);
    expect(await claim(user, 'there_and')).toMatchObject({ previousUsername: 'back_again' });
    expect(await findByUsername(db, 'back_again')).toMatchObject({ username: 'there_and' });
  });
});

describe('PostgreSQL refuses what the code would not do', () => {
  it.each([
    ['a second current name', "INSERT INTO usernames (username, user_id, claimed_at) VALUES ('zzz_two', $1, now())"],
    ['a name in another form', "UPDATE usernames SET username = 'Zzz Two' WHERE user_id = $1"],
    ["a look-alike without its owner's skeleton", "UPDATE usernames SET username = 'adm1n_x' WHERE user_id = $1"],
    ['a second skeleton', "INSERT INTO username_skeletons (skeleton, user_id) VALUES ('adminx', $1), ('adminx', $1)"],
  ])('%s', async (_, sql) => {
    const user = await newUser();
    await claim(user, `zzz_${user.slice(0, 8)}`);
    await expect(db.query(sql, [user])).rejects.toMatchObject({ code: expect.stringMatching(/^23/) });
  });
});
