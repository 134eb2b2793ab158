/**
 * PostgreSQL with German messages, as Debian installs it on a German machine: refusals and payments must not depend on
 * the wording of a message. Only Debian's packages have translations; the locale is created for this test alone.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogin } from '../../sandbox/src/createLogin.ts';
import { type RunningPostgres, startPostgres } from '../../sandbox/src/postgres/startPostgres.ts';
import { createDatabase } from '../../sandbox/src/prepareDatabase.ts';
import { parseUsdc } from '../../server/src/core/money.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { checkBooks } from '../../server/src/ledger/checkBooks.ts';
import { openUserPayments } from '../../server/src/payments/users/openUserPayments.ts';
import { sendToUser } from '../../server/src/payments/users/sendToUser.ts';
import { runAsAdmin } from '../support/database.ts';
import { openTesting } from '../support/ledger/openTesting.ts';
import { createPerson } from '../support/payments.ts';
import { findPostgres } from '../support/postgresVersions.ts';
import { HOME } from '../support/values.ts';

const folder = mkdtempSync(join(tmpdir(), 'florin-german-'));
chmodSync(folder, 0o755);
const reason = findReason();
// When every test is skipped, `afterAll` does not run.
if (reason) rmSync(folder, { recursive: true, force: true });
if (reason) console.log(`German messages are not tested here: ${reason}.`);

/** Why the test cannot run on this machine. */
function findReason(): string | undefined {
  if (!findPostgres(15)) return "Debian's PostgreSQL 15 is not installed";
  if (!existsSync('/usr/share/locale/de/LC_MESSAGES/postgres-15.mo')) return 'its translations are not installed';
  const made = spawnSync('localedef', ['-i', 'de_DE', '-f', 'UTF-8', join(folder, 'de_DE.UTF-8')]);
  return made.status === 0 ? undefined : 'the German locale cannot be created (localedef, /usr/share/i18n)';
}

let postgres: RunningPostgres;
let server: Db;
let tester: Db;
let serverUrl: string;
beforeAll(async () => {
  if (reason) return;
  postgres = await startPostgres({
    dataDir: join(folder, 'data'),
    binaries: findPostgres(15)!,
    settings: { fsync: 'off', shared_buffers: '32MB', lc_messages: 'de_DE.UTF-8' },
    env: { LOCPATH: folder },
  });
  const url = postgres.url('florin');
  await createDatabase(postgres.url('postgres'), 'florin');
  await migrate(url);
  serverUrl = await createLogin(url, { name: 'api', roles: ['server'] });
  server = openDatabase(serverUrl);
  const testerUrl = await createLogin(url, { name: 'tester', roles: ['server', 'worker'] });
  await runAsAdmin(openTesting(new URL(testerUrl).username), url);
  tester = openDatabase(testerUrl);
});
afterAll(async () => {
  await server?.close();
  await tester?.close();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(reason)('PostgreSQL with German messages', () => {
  it('refuses a server that writes money, in German', async () => {
    await expect(server.query('UPDATE accounts SET available = available + 1')).rejects.toMatchObject({
      code: '42501',
      message: 'keine Berechtigung für Tabelle accounts',
    });
  });

  it('protects history, even from a superuser', async () => {
    const admin = openDatabase(postgres.url('florin'));
    await expect(admin.query('DELETE FROM transfers')).rejects.toMatchObject({ code: '23001' });
    await admin.close();
  });

  it('people pay each other, and are refused as usual', async () => {
    const [alice, bob] = [await createPerson(tester, 'alice', '10'), await createPerson(tester, 'bob')];
    const userPayments = openUserPayments({
      databaseUrl: serverUrl,
      db: server,
      homeBlockchain: HOME,
      currency: 'USDC',
    });
    const pay = (amount: string) =>
      sendToUser({ userPayments }, { senderId: alice.userId, receiver: bob.username, amount: parseUsdc(amount) });
    expect((await pay('4')).result).toMatchObject({ payment: { state: 'COMPLETE' } });
    expect((await pay('7')).result).toMatchObject({ refusal: { code: 'balance.insufficient' } });
    await userPayments.close();
    expect(await checkBooks(tester)).toMatchObject({ transfers: 2, faults: [] });
  });
});
