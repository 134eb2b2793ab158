/** A log that cannot be written never stops the service: a full disk, a closed pipe. */
import { closeSync, openSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseUsdc } from '../../server/src/core/money.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { eventually } from '../support/eventually.ts';
import { bearer } from '../support/http/answer.ts';
import { recordDeposit } from '../support/ledger/recordDeposit.ts';
import { type Production, startProduction } from '../support/production.ts';
import { explainBalances } from '../support/properties/explainBalances.ts';

let full: Production;
let closed: Production;
let fd: number;
beforeAll(async () => {
  fd = openSync('/dev/full', 'w');
  [full, closed] = await Promise.all([startProduction({}, { output: fd }), startProduction()]);
});
afterAll(async () => {
  await Promise.all([full.stop(), closed.stop()]);
  closeSync(fd);
});

/** People log in, receive money and pay each other: every call writes a line. */
async function live(florin: Production, names: readonly [string, string]): Promise<number[]> {
  const logins = await Promise.all(
    names.map(async (sub) => florin.call('POST', '/api/v1/login', { id_token: await florin.issuer.sign({ sub }) })),
  );
  const ids = logins.map(({ body }) => body.user.user_id as string);
  for (const [i, username] of names.entries())
    await florin.call(
      'POST',
      '/api/v1/set_username',
      { user_id: ids[i], username },
      bearer(logins[i]!.body.access_token),
    );
  const db = openDatabase(florin.databaseUrl);
  await db.tx((tx) =>
    recordDeposit(tx, {
      depositId: crypto.randomUUID(),
      userId: ids[0]!,
      blockchain: 'ETH-SEPOLIA',
      amount: parseUsdc('10'),
      fromAddress: `0x${'1'.repeat(40)}`,
    }),
  );
  const statuses: number[] = [];
  for (let i = 0; i < 20; i++) {
    const body = { sender_user_id: ids[0], receiver_username: names[1], amount: 0.1 };
    const headers = { ...bearer(logins[0]!.body.access_token), 'idempotency-key': crypto.randomUUID() };
    statuses.push((await florin.call('POST', '/api/v1/send_usdc', body, headers)).status);
  }
  expect(await explainBalances({ db, databaseUrl: florin.databaseUrl })).toEqual([]);
  await db.close();
  return statuses;
}

describe('the service continues', () => {
  it('when the disk of its log is full', async () => {
    expect(await live(full, ['fulla', 'fullb'])).toEqual(Array.from({ length: 20 }, () => 200));
    expect(full.isAlive()).toBe(true);
    expect((await fetch(`${full.opsUrl}/readyz`)).status).toBe(200);
    expect(await full.end()).toBe(0);
  });

  it('when the reader of its log is gone', async () => {
    expect(await live(closed, ['opena', 'openb'])).toEqual(Array.from({ length: 20 }, () => 200));
    await eventually(() => expect(closed.log()).toContain('"operation":"send_usdc"'));
    closed.closeLog();
    expect(await live(closed, ['closea', 'closeb'])).toEqual(Array.from({ length: 20 }, () => 200));
    expect(closed.isAlive()).toBe(true);
    expect(await closed.end()).toBe(0);
  });
});
