import { beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/support/database/useTestDatabase.ts';
import { asAdmin } from '../../../test/support/database.ts';
import { PayError } from '../core/errors.ts';
import type { Tx } from './database.ts';
import { hashRequest, type KeyedRequest, replayOrRun } from './idempotency.ts';

const database = useTestDatabase({ maxConnections: 30 });
const { db } = database;
beforeAll(() => asAdmin(database.url, 'CREATE TABLE done (what text); GRANT ALL ON done TO PUBLIC'));

const request = (key: string, ...members: string[]): KeyedRequest => ({
  caller: 'ada',
  route: '/things',
  key,
  hash: hashRequest(...members),
});
const doing = (tx: Tx, what: string) => async () => {
  await tx.query('INSERT INTO done VALUES ($1)', [what]);
  return { did: what };
};
const count = async (what: string) => (await db.query('SELECT FROM done WHERE what = $1', [what])).length;

describe('replayOrRun', () => {
  it('of 20 concurrent calls one works, and all get the same answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => db.tx((tx) => replayOrRun(tx, request('a', 'x'), doing(tx, 'a')))),
    );
    expect(await count('a')).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    for (const { result } of answers) expect(result).toEqual({ answer: { did: 'a' } });
  });

  it('refuses the key for another request', async () => {
    await expect(db.tx((tx) => replayOrRun(tx, request('a', 'y'), doing(tx, 'b')))).rejects.toThrow(
      'idempotency.mismatch',
    );
    expect(await count('b')).toBe(0);
  });

  it('undoes refused work, and repeats the refusal', async () => {
    const attempt = () =>
      db.tx((tx) =>
        replayOrRun(tx, request('c', 'x'), async () => {
          await doing(tx, 'c')();
          throw new PayError('balance.insufficient', { available: '1' });
        }),
      );
    const [first, again] = [await attempt(), await attempt()];
    expect([first.replayed, again.replayed]).toEqual([false, true]);
    for (const { result } of [first, again]) {
      expect((result as { refusal: PayError }).refusal).toMatchObject({
        code: 'balance.insufficient',
        details: { available: '1' },
      });
    }
    expect(await count('c')).toBe(0);
  });

  it.each([
    ['an internal error', new Error('disk on fire')],
    ['a temporary refusal', new PayError('username.cooldown', { available_at: 'tomorrow' })],
  ])('forgets %s: the key is free again', async (_, error) => {
    const failing = db.tx((tx) =>
      replayOrRun(tx, request(error.message, 'x'), async () => {
        throw error;
      }),
    );
    await expect(failing).rejects.toBe(error);
    const again = await db.tx((tx) => replayOrRun(tx, request(error.message, 'x'), doing(tx, error.message)));
    expect(again.replayed).toBe(false);
  });

  it('reports to callers who wait too long that the first call is still running', async () => {
    let finish = () => {};
    const gate = new Promise<void>((done) => {
      finish = done;
    });
    let begin = () => {};
    const begun = new Promise<void>((done) => {
      begin = done;
    });
    const slow = db.tx((tx) =>
      replayOrRun(tx, request('e', 'x'), () => {
        begin();
        return gate.then(doing(tx, 'e'));
      }),
    );
    await begun;
    await expect(db.tx((tx) => replayOrRun(tx, request('e', 'x'), doing(tx, 'e')))).rejects.toThrow(
      'idempotency.in_progress',
    );
    finish();
    expect((await slow).replayed).toBe(false);
    expect(await count('e')).toBe(1);
  });
});
