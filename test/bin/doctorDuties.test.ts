/** `florin doctor` finds what waits for people: restores, approvals, former operators' logins, webhooks, certificates. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Role } from '../../server/src/bin/config/parts.ts';
import { examine } from '../../server/src/bin/doctor/examine.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { asAdmin, createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createAuthority } from '../support/http/certificate.ts';
import { operate } from '../support/operate.ts';

const DAY_MS = 86_400_000;

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

async function diagnose(as: Role = 'operator', more: Record<string, string> = {}): Promise<string[]> {
  const env = { FLORIN_MODE: 'sandbox', DATABASE_URL: database.urlOf(as === 'operator' ? as : 'worker'), ...more };
  return (await examine(as, env)).findings.map(
    ({ area, level, says, fix }) => `${area} ${level}: ${says}${fix ? ` → ${fix}` : ''}`,
  );
}

const sql = (text: string, values: unknown[] = []) => asAdmin(database.url, text, values);

it('a restore until the keys are confirmed, with the page and the command', async () => {
  await sql(`SELECT note_restore('coins left a wallet')`);
  for (const role of ['operator', 'worker'] as const)
    expect(await diagnose(role)).toContainEqual(
      expect.stringMatching(
        /^database warning: it was restored from a backup, noticed at .* UTC: coins left a wallet\. keys and sessions from before are refused → follow docs\/operating\/restore\.md; then florin restore confirm keys$/,
      ),
    );
  await sql(`UPDATE restores SET keys_confirmed_at = now(), keys_confirmed_by = 'anna'`);
  expect((await diagnose()).join()).not.toContain('restored');
});

it('payouts that have waited for operators for more than four hours', async () => {
  const insert = (age: string) =>
    sql(
      `SET session_replication_role = replica;
       INSERT INTO payouts (payout_id, key_id, on_shortage, state, row_count, total, known_count, known_total, created_at,
                            confirmed_at, waits_until, approvals_needed, currency)
       VALUES (gen_random_uuid(), gen_random_uuid(), 'wait', 'approving', 1, 1, 0, 0, now() - interval '${age}',
               now() - interval '${age}', now(), 2, 'USDC')`,
    );
  await insert('1 hour');
  expect(await diagnose()).toContainEqual(expect.stringMatching(/^payments ok: 1 payout waits for two operators/));
  const db = openDatabase(database.urlOf('operator'), { maxConnections: 1 });
  const waiting = await operate(db, 'payment', 'waiting').finally(() => db.close());
  expect(waiting).toBe('No send waits for approval.\n\n1 payout waits too: florin payout list --state approving\n');
  await insert('5 hours');
  expect(await diagnose()).toContainEqual(
    expect.stringMatching(
      /^payments warning: 2 payouts wait for two operators, the oldest since .* → florin payout list --state approving/,
    ),
  );
});

it("logins with the operators' role that belong to no operator, once there are operators", async () => {
  const login = decodeURIComponent(new URL(database.urlOf('operator')).username);
  const isStray = (line: string) => line.startsWith(`operators warning: the login ${login} `);
  expect((await diagnose()).filter(isStray)).toEqual([]);
  await sql(`INSERT INTO operators (name, role) VALUES ('anna', 'admin')`);
  expect((await diagnose()).filter(isStray)).toEqual([
    expect.stringContaining(`if the person left: ALTER ROLE "${login}" NOLOGIN`),
  ]);
  expect((await diagnose()).filter(isStray).join()).toContain(`florin operator add ${login} --role ROLE`);
  expect((await diagnose('worker')).filter(isStray)).toHaveLength(1);
  await sql(`INSERT INTO operators (name, role) VALUES ($1, 'risk')`, [login]);
  expect((await diagnose()).filter(isStray)).toEqual([]);
});

it('webhooks that were switched off or fail', async () => {
  const insert = (host: string, state: string, failure: string | null, failing: boolean) =>
    sql(
      `INSERT INTO webhook_endpoints (endpoint_id, url, description, types, in_order, state, failure, failing_since, place)
       VALUES (gen_random_uuid(), $1, '', '{*}', false, $2, $3, CASE WHEN $4 THEN now() END, 0)`,
      [`https://${host}/a-secret-path`, state, failure, failing],
    );
  await insert('good.example', 'on', null, false);
  await insert('bad.example', 'on', null, true);
  await insert('gone.example', 'failed', 'it answered 410', false);
  await insert('quiet.example', 'off', null, false);
  const found = (await diagnose()).filter((line) => line.startsWith('webhooks'));
  expect(found).toHaveLength(3);
  expect(found).toContainEqual(
    expect.stringMatching(/^webhooks warning: all deliveries of .*bad\.example.* → florin webhook deliveries/),
  );
  expect(found).toContainEqual(
    expect.stringMatching(
      /^webhooks warning: .*gone\.example.*it answered 410 → .*florin webhook change .* --state on/,
    ),
  );
  expect(found).toContainEqual(expect.stringMatching(/^webhooks ok: .*quiet\.example/));
  expect(found.join()).not.toContain('a-secret-path');
});

it('a certificate that ends within two weeks', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'florin-doctor-'));
  const files = { FLORIN_TLS_CERT_FILE: join(folder, 'cert.pem'), FLORIN_TLS_KEY_FILE: join(folder, 'key.pem') };
  const authority = createAuthority();
  for (const [days, expected] of [
    [60.5, /^configuration ok: the certificate ends in 60 days/],
    [10.5, /^configuration warning: the certificate ends in 10 days, at .* → renew FLORIN_TLS_CERT_FILE/],
  ] as const) {
    const { cert, key } = authority.issue({ toMs: Date.now() + days * DAY_MS });
    await writeFile(files.FLORIN_TLS_CERT_FILE, cert);
    await writeFile(files.FLORIN_TLS_KEY_FILE, key);
    expect(await diagnose('worker', files)).toContainEqual(expect.stringMatching(expected));
  }
  await rm(folder, { recursive: true });
});
