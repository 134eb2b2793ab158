/** Every command of the guide runs unchanged, one after another, on a whole server; `florin payout` too. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { renderBar } from '../../server/src/bin/cli/payout.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { urlAs } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { operate } from '../support/operate.ts';
import { createPerson } from '../support/payments.ts';
import { giveTreasury } from '../support/payouts/giveTreasury.ts';
import { runCurl, splitWords } from '../support/payouts/runCurl.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const GUIDE = readFileSync(new URL('../../docs/guides/payouts.md', import.meta.url), 'utf8');
const blocksOf = (kind: string) =>
  [...GUIDE.matchAll(new RegExp(`\`\`\`${kind}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text]) => text!);
const SHOWN = 'http://127.0.0.1:8001';

let florin: TestServer;
let db: Db;
let operator: Db;
const folder = mkdtempSync(join(tmpdir(), 'florin-payouts-'));

beforeAll(async () => {
  florin = await startTestServer();
  await florin.startWorker();
  db = openDatabase(florin.databaseUrl);
  operator = openDatabase(urlAs(florin.databaseUrl, 'operator'), { maxConnections: 2 });
  for (const name of ['bob', 'carol']) await createPerson(db, name);
  await giveTreasury(florin.databaseUrl, '100');
  writeFileSync(join(folder, 'salaries.csv'), blocksOf('csv')[0]!);
});
afterAll(async () => {
  await Promise.all([db.close(), operator.close()]);
  await florin.stop();
  rmSync(folder, { recursive: true });
});

const florinCommand = (text: string) =>
  operate(
    operator,
    ...splitWords(text)
      .slice(1)
      .map((word) => (/\.(csv|key)$/.test(word) ? join(folder, word) : word)),
    ...(text.startsWith('florin payout') ? ['--url', florin.backendUrl] : []),
  );

it('does what it says', async () => {
  const env = { FLORIN_KEY: '', PAYOUT: '' };
  const said: Record<string, string> = {};
  for (const block of blocksOf('sh')) {
    if (block.startsWith('florin')) said[block] = await florinCommand(block);
    else {
      said[block] = await runCurl(block.replaceAll(SHOWN, florin.backendUrl), env, folder);
      const checked = /"payout_id":"([^"]+)"/.exec(said[block])?.[1];
      if (checked) env.PAYOUT = checked;
    }
    if (block.startsWith('florin key create')) {
      env.FLORIN_KEY = said[block]!.split('\n')[0]!;
      writeFileSync(join(folder, 'payroll.key'), `${env.FLORIN_KEY}\n`);
    }
    if (block.includes('/confirm'))
      await eventually(async () =>
        expect(await db.query('SELECT state FROM payouts WHERE payout_id = $1', [env.PAYOUT])).toEqual([
          { state: 'complete' },
        ]),
      );
  }
  const answers = Object.values(said);
  expect(answers).toHaveLength(9);
  expect(answers[1]).toContain('"count":2,"total":"37.5"');
  expect(answers[3]).toContain('"state":"complete"');
  expect(answers[4]).toBe('{"items":[],"next_after":null}');
  expect(answers[5]).toMatch(/^reference,.*error\r\nsalary-2026-03-bob,bob,17\.5,.*,March,paid,/);
  expect(answers[6]).toMatch(/^{"payouts":\[{"payout_id":".*"next_before":null}$/);
  expect(answers[7]).toContain('payout.ended');
  // The command pays the same file once more: no one is paid again.
  expect(answers[8]).toContain('Checked: 0 rows, 0 USDC, fees 0; 2 more were paid before.');
  expect(answers[8]).toMatch(/paid +2 rows, 37\.5 USDC/);
  expect(readFileSync(join(folder, 'paid.csv'), 'utf8')).toBe(answers[5]);
  const [{ paid } = { paid: 0n }] = await db.query<{ paid: bigint }>(
    `SELECT count(*) AS paid FROM transfers WHERE kind = 'user'`,
  );
  expect(paid).toBe(2n);
});

it('the command only checks without --yes, and reports what is wrong with a file', async () => {
  const pay = (file: string, ...more: string[]) => {
    const path = join(folder, 'other.csv');
    writeFileSync(path, file);
    const key = ['--key-file', join(folder, 'payroll.key'), '--url', florin.backendUrl];
    return operate(operator, 'payout', path, ...key, ...more);
  };
  expect(await pay('reference,to,amount\nx,bob,1\n')).toContain('Nothing was paid.');
  const wrong = await pay('reference,to,amount\nx,nobody_here,1\ny,bob,1e3\n', '--yes');
  expect(wrong).toContain('row 1, to: "nobody_here" is neither a known username nor an address');
  expect(wrong).toContain('2 errors. Nothing was kept, and nothing is paid.');
  await expect(pay('reference,to,amount\nx,bob,1\n', '--on-shortage', 'maybe')).rejects.toThrow(/wait or fail/);
  await expect(operate(operator, 'payout', 'none.csv', '--key-file', join(folder, 'no.key'))).rejects.toThrow(
    /no\.key/,
  );
  writeFileSync(join(folder, 'bad.key'), 'fsk_wrong');
  const bad = ['--key-file', join(folder, 'bad.key'), '--url', florin.backendUrl];
  await expect(operate(operator, 'payout', join(folder, 'salaries.csv'), ...bad)).rejects.toThrow(/401/);
});

it('a progress bar shows how many rows have ended, and why others wait', () => {
  const none = { count: 0, total: '0' };
  const rows = {
    ready: none,
    sent: { count: 1, total: '1' },
    paid: { count: 2, total: '2' },
    failed: none,
    cancelled: none,
  };
  expect(renderBar({ rows, state: 'running', waiting_for: null })).toBe(
    `${'█'.repeat(20)}${'░'.repeat(10)} 2/3 running`,
  );
  const waiting_for = { code: 'balance.insufficient', detail: '' };
  expect(renderBar({ rows, state: 'waiting', waiting_for })).toContain('2/3 waits: balance.insufficient');
});
