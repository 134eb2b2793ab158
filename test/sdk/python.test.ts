/** The client for Python on Debian's Python, against the whole server, through a proxy that checks and loses answers. */
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../sdk/src/client/createClient.ts';
import { webhooks } from '../../sdk/src/webhooks.ts';
import { parseUsdc } from '../../server/src/core/money.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { openAsset } from '../../server/src/ledger/accounts.ts';
import { settleFeed } from '../support/database/settleFeed.ts';
import { type JudgedProxy, serveJudgedProxy } from '../support/http/serveJudgedProxy.ts';
import { openUserAccount } from '../support/ledger/openUserAccount.ts';
import { recordDeposit } from '../support/ledger/recordDeposit.ts';
import { operate } from '../support/operate.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { HOME } from '../support/values.ts';

const run = promisify(execFile);
const folder = resolve(import.meta.dirname, '../../examples/python');
const python = ['/usr/bin/python3', '/usr/local/bin/python3'].find(existsSync);
const email = (name: string) => `${name}@example.com`;

let florin: TestServer;
let db: Db;
let backend: JudgedProxy;
let web3: JudgedProxy;
let isLost = (_nth: number, _path: string): boolean => false;

describe.skipIf(!python)('the client for Python', () => {
  beforeAll(async () => {
    florin = await startTestServer({ FLORIN_REQUIRE_IDEMPOTENCY_KEY: 'true' });
    db = openDatabase(florin.databaseUrl);
    backend = await serveJudgedProxy('backend', florin.backendUrl, (nth, path) => isLost(nth, path));
    web3 = await serveJudgedProxy('web3', florin.web3Url);
    for (const name of ['alice_py', 'bob_py']) await arrive(name);
  });
  afterAll(async () => {
    await Promise.all([backend?.close(), web3?.close()]);
    await db?.close();
    await florin?.stop();
  });

  async function arrive(name: string): Promise<void> {
    const client = createClient({ backendUrl: florin.backendUrl });
    const { user } = await client.login(await florin.issuer.issueIdToken(email(name)));
    await client.setUsername(name);
    await openUserAccount(db, await openAsset(db, HOME, 'USDC'), user.user_id);
    const deposit = { depositId: randomUUID(), userId: user.user_id, blockchain: HOME, amount: parseUsdc('100') };
    await db.tx((tx) => recordDeposit(tx, { ...deposit, fromAddress: `0x${'f'.repeat(40)}` }));
  }

  /** Runs a program with `api`, a logged-in client of alice, and `web3`; returns what it prints as JSON. */
  async function runProgram(code: string, env: Record<string, string> = {}): Promise<unknown> {
    const start = `
import json, os
from decimal import Decimal
from florin import *
env = os.environ
api = BackendApi(env["BACKEND"], first_pause=0.01, attempts=40)
session = api.login(id_token=env["ID_TOKEN"])
api.token = session["access_token"]
me = session["user"]
web3 = Web3Api(env["WEB3"])
def caught(work):
    try:
        return work()
    except FlorinError as error:
        return error
`;
    const { stdout } = await run(python!, ['-W', 'error', '-c', start + code], {
      cwd: folder,
      env: { PYTHONDONTWRITEBYTECODE: '1', ...(await environment()), ...env },
    });
    return JSON.parse(stdout);
  }
  const environment = async () => ({
    BACKEND: backend.url,
    WEB3: web3.url,
    ID_TOKEN: await florin.issuer.issueIdToken(email('alice_py')),
  });

  it('pays each of many intents once while every third answer is lost', async () => {
    isLost = (nth, path) => path === '/api/v1/send_usdc' && nth % 3 === 2;
    const before = (await db.query('SELECT 1 FROM transfers')).length;
    const ids = await runProgram(`
pay = lambda key: api.send_usdc(sender_user_id=me["user_id"], receiver_username="bob_py", amount="0.000001", key=key)
print(json.dumps([pay(new_key())["transaction_id"] for _ in range(30)]))`);
    isLost = () => false;
    expect(new Set(ids as string[]).size).toBe(30);
    expect(backend.passed.filter((one) => one.isLost).length).toBeGreaterThan(10);
    expect(await db.query('SELECT 1 FROM transfers')).toHaveLength(before + 30);
    expect(backend.faults).toEqual([]);
  });

  it('reports what happened, and what may have happened', async () => {
    const said = await runProgram(`
def pay(amount, **how):
    return caught(lambda: api.send_usdc(sender_user_id=me["user_id"], receiver_username="bob_py", amount=amount, **how))
poor = pay("9999")
inexact = [pay(0.1).code, pay("0.0000001").code, pay(Decimal("1e-7")).code, pay(True).code]
first, again, other = pay(Decimal("0.10"), key="one"), pay("0.1", key="one"), pay("0.2", key="one")
api.attempts, api.base_url = 2, "http://127.0.0.1:9"
lost = pay("0.3", key="lost-one")
print(json.dumps({
  "poor": [poor.code, poor.status, poor.outcome_unknown, "available" in poor.problem, len(poor.request_id)],
  "inexact": inexact,
  "same": [first["transaction_id"] == again["transaction_id"], first["amount"], first.status, len(first.request_id)],
  "other": other.code,
  "lost": [lost.code, lost.outcome_unknown, lost.idempotency_key],
}))`);
    expect(said).toEqual({
      poor: ['balance.insufficient', 409, false, true, 36],
      inexact: ['amount.inexact', 'amount.inexact', 'amount.inexact', 'amount.inexact'],
      same: [true, '0.1', 200, 36],
      other: 'idempotency.mismatch',
      lost: ['connection.lost', true, 'lost-one'],
    });
  });

  it('reads pages, statements, wallets and events, and sends payout files', async () => {
    const made = await operate(db, 'key', 'create', 'python', '--scope', 'events,payouts', '--any-wallet');
    const [backendKey] = /fsk_\S+/.exec(made)!;
    await settleFeed(db);
    const said = await runProgram(
      `
page = api.latest_transactions_by_username("alice_py", limit=2, kind="user")
text = api.latest_transactions_by_username_csv("alice_py", limit=2)
payment = web3.get_transaction(page["transactions"][0]["transaction_id"])
service = BackendApi(env["BACKEND"], env["SERVICE_KEY"])
payout = service.create_payout(csv="reference,to,amount\\nr1,bob_py,0.5\\n", payer="alice_py")
rows = service.create_payout(rows=[{"reference": "r2", "to": "bob_py", "amount": "0.25"}], payer="alice_py")
wrong = caught(lambda: service.create_payout(csv="reference,to,amount\\nr1,bob_py,1e3\\n"))
items = service.export_payout_items(payout["payout_id"])
events = service.list_events(after="start", limit=5)["events"]
denied = caught(lambda: Web3Api(env["WEB3"], "fsk_" + "A" * 43).get_transaction(payment["transaction_id"]))
print(json.dumps({
  "page": len(page["transactions"]), "csv": text.split(",")[0], "lines": text.count("\\n"), "amount": payment["amount"],
  "payout": [payout["total"], rows["total"], wrong.code], "items": items.split(",")[0], "events": len(events), "denied": denied.code,
}))`,
      { SERVICE_KEY: backendKey! },
    );
    expect(said).toEqual({
      page: 2,
      csv: 'transaction_id',
      lines: 3,
      amount: '0.1',
      payout: ['0.5', '0.25', 'payout.invalid'],
      items: 'reference',
      events: 5,
      denied: 'auth.invalid',
    });
    expect([...backend.faults, ...web3.faults]).toEqual([]);
  });

  it('verifies webhooks', async () => {
    const secret = `whsec_${randomBytes(24).toString('base64')}`;
    const message = { type: 'webhook.test', timestamp: '2026-03-02T09:20:11.400Z', data: { message: 'ü' } } as const;
    const { body, headers } = await webhooks.sign(message, { secret });
    const old = await webhooks.sign(message, { secret, sentAt: new Date(0) });
    const said = await runProgram(
      `
headers = json.loads(env["HEADERS"])
check = lambda body, headers=headers, secret=env["SECRET"]: caught(lambda: verify_webhook(body, headers, secret))
body = env["BODY"].encode()
print(json.dumps([
  check(body), check(body + b" ").code, check(body, secret="whsec_AAAA").code, check(body, json.loads(env["OLD"])).code,
  check(body, {}).code]))`,
      { SECRET: secret, BODY: body, HEADERS: JSON.stringify(headers), OLD: JSON.stringify(old.headers) },
    );
    expect(said).toEqual([message, ...Array(4).fill('webhook.unverified')]);
  });

  it('has an example that pays once per order, and fails with a reason', async () => {
    const pay = async (...args: string[]) => {
      const { BACKEND: FLORIN_BACKEND_URL, ID_TOKEN } = await environment();
      const env = { PYTHONDONTWRITEBYTECODE: '1', FLORIN_BACKEND_URL, ID_TOKEN };
      return run(python!, [join(folder, 'pay.py'), ...args], { env });
    };
    const order = ['bob_py', '0.75', 'order-1001'];
    const [first, again] = [await pay(...order), await pay(...order)];
    expect(first.stdout).toMatch(/^0\.75 USDC to bob_py: COMPLETE\n(\S+Z \S+ \S+\n){3}$/);
    expect(again.stdout).toBe(first.stdout);
    const refused = await pay('bob_py', '9999', 'order-1002').catch((error: object) => error);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Not enough USDC\./) });
  });
});
