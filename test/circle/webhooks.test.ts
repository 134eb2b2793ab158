/** Circle's messages: verified over their raw bytes, and trusted only as a hint that something happened. */
import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { circleProvider } from '../../server/src/adapters/wallets/circle/circleProvider.ts';
import { circleWebhook, fetchWebhookKey } from '../../server/src/adapters/wallets/circle/circleWebhooks.ts';
import { openCircle } from '../../server/src/adapters/wallets/circle/openCircle.ts';
import { openWebhook } from '../../server/src/custody/provider/openWebhook.ts';
import { keepWebhookKey } from '../../server/src/custody/signing/keepWebhookKey.ts';
import type { SigningApp } from '../../server/src/custody/signing/signingApp.ts';
import { createRateLimits } from '../../server/src/customers/limits/createRateLimits.ts';
import { type Db, openDatabase } from '../../server/src/db/database.ts';
import { type DedicatedConnection, openDedicatedConnection } from '../../server/src/db/openDedicatedConnection.ts';
import { randomAddress } from '../support/chain/custody.ts';
import { expectOneEnd } from '../support/chain/expectOneEnd.ts';
import { type SendingWorld, startSendingWorld } from '../support/circle/sendingWorld.ts';
import { urlAs } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { listen } from '../support/http/listen.ts';

let sending: SendingWorld;
let serversDb: Db;
let signersDb: Db;
let connection: DedicatedConnection;
let hooks: Server;
const heard: { headers: IncomingHttpHeaders; body: Buffer }[] = [];
let asked = 0;

beforeAll(async () => {
  hooks = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    if (request.method === 'POST') heard.push({ headers: request.headers, body: Buffer.concat(parts) });
    response.writeHead(200).end();
  });
  const webhookUrl = `http://127.0.0.1:${await listen(hooks)}/webhooks/circle`;
  // So rare that no transfer is polled twice unless a message triggers it.
  sending = await startSendingWorld({ webhookUrl }, { askProviderMs: 3_600_000 });
  serversDb = openDatabase(urlAs(sending.world.databaseUrl, 'server'));
  signersDb = openDatabase(urlAs(sending.world.databaseUrl, 'signer'));
  connection = openDedicatedConnection(urlAs(sending.world.databaseUrl, 'server'));
  await sending.world.fund({ alice: '100' });
});
afterEach(() => sending.double.control.reset());
afterAll(async () => {
  await Promise.all([serversDb.close(), signersDb.close(), connection.close()]);
  await sending.world.stop();
  await new Promise((done) => hooks.close(done));
});

/** A server that has just started, long after the last key request to Circle, with a signer that uses the double. */
async function openHook() {
  await sending.world.db.query('DELETE FROM rate_windows');
  const { url, apiKey, entitySecret } = sending.double;
  const circle = openCircle({ url, apiKey, entitySecret: Buffer.from(entitySecret, 'hex'), timeoutMs: 20_000 });
  const app = { db: signersDb, webhookKeys: { circle: (keyId: string) => fetchWebhookKey(circle, keyId) } };
  const signer = {
    fetchWebhookKey(adapter: string, keyId: string) {
      asked++;
      return keepWebhookKey(app as unknown as SigningApp, adapter, keyId);
    },
  };
  const hear = openWebhook(
    { db: serversDb, signer, limits: createRateLimits(connection) },
    circleProvider,
    circleWebhook,
  );
  return ({ keyId, signature, ...notice }: Notice) =>
    hear({ ...notice, headers: { 'x-circle-key-id': keyId, 'x-circle-signature': signature } });
}
interface Notice {
  readonly keyId: string;
  readonly signature: string | undefined;
  readonly body: Buffer;
  readonly address: string;
}
const toNotice = ({ headers, body }: (typeof heard)[number]): Notice => ({
  keyId: String(headers['x-circle-key-id']),
  signature: String(headers['x-circle-signature']),
  body,
  address: '192.0.2.1',
});
const codeOf = (work: Promise<unknown>) => work.then(() => 'heard').catch((error: { code?: string }) => error.code);
const isAboutTransfer = ({ body }: { body: Buffer }) => body.includes('transactions.outbound');

async function sendAndHear(): Promise<{ id: string; destination: `0x${string}` }> {
  heard.length = 0;
  const { world } = sending;
  const destination = randomAddress();
  const id = await world.send({ amount: '1', destination, walletUsername: 'alice' });
  await world.work();
  for (let i = 0; i < 6; i++) await world.mine();
  const isReported = () => heard.some((one) => isAboutTransfer(one) && one.body.includes('COMPLETE'));
  await eventually(() => expect(isReported()).toBe(true));
  return { id, destination };
}
const stateOf = async (id: string) => {
  const [row] = await sending.world.db.query<{ provider_state: string; is_due: boolean }>(
    'SELECT provider_state, asked_at IS NULL AS is_due FROM provider_transfers WHERE move_id = $1',
    [id],
  );
  return row!;
};

describe('a message from Circle', () => {
  it('triggers our own poll of the transfer; a repeated, late or reordered message does no more', async () => {
    const { id, destination } = await sendAndHear();
    await sending.world.work();
    expect(await stateOf(id)).toEqual({ provider_state: 'submitted', is_due: false });
    const hear = await openHook();
    const messages = heard.filter(isAboutTransfer).toReversed();
    for (const one of [...messages, ...messages]) await hear(toNotice(one));
    expect(await stateOf(id)).toEqual({ provider_state: 'submitted', is_due: true });
    await sending.world.work();
    expect(await stateOf(id)).toMatchObject({ provider_state: 'done' });
    await sending.finish(id);
    await expectOneEnd(sending.world, id, destination, 'COMPLETE');
    await hear(toNotice(messages[0]!));
    await sending.world.work();
    expect((await sending.world.get(id)).state).toBe('COMPLETE');
    expect(asked).toBe(1);
  });

  it('signed with a new Circle key is accepted, and the key is requested once', async () => {
    sending.double.control.rotateWebhookKey();
    const before = asked;
    const { id } = await sendAndHear();
    const hear = await openHook();
    for (const one of heard.filter(isAboutTransfer)) await hear(toNotice(one));
    expect(asked).toBe(before + 1);
    // Another server finds the key in the database.
    await (await openHook())(toNotice(heard.find(isAboutTransfer)!));
    expect(asked).toBe(before + 1);
    await sending.world.work();
    await sending.finish(id);
  });

  it('that was changed, signed by someone else, or signed with a key unknown to Circle is refused', async () => {
    const one = toNotice(heard.find(isAboutTransfer)!);
    const hear = await openHook();
    expect(await codeOf(hear(one))).toBe('heard');
    const changed = Buffer.from(one.body);
    changed[changed.length - 2]! ^= 1;
    expect(await codeOf(hear({ ...one, body: changed }))).toBe('auth.invalid');
    expect(await codeOf(hear({ ...one, signature: 'AAAA' }))).toBe('auth.invalid');
    expect(await codeOf(hear({ ...one, signature: undefined }))).toBe('auth.required');
    expect(await codeOf(hear({ ...one, keyId: 'no id' }))).toBe('auth.invalid');
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const forged = createSign('sha256').update(one.body).sign(privateKey).toString('base64');
    expect(await codeOf(hear({ ...one, signature: forged }))).toBe('auth.invalid');
    const invented = { ...one, keyId: randomUUID(), signature: forged };
    const before = asked;
    expect(await codeOf(hear(invented))).toBe('auth.invalid');
    expect(await codeOf(hear(invented))).toBe('auth.invalid');
    expect(asked).toBe(before + 1);
  });

  it('causes another key request later while Circle does not return the key', async () => {
    sending.double.control.turn({ answers: { kind: 'error', only: '/publicKey/', count: 1 } });
    const one = { ...toNotice(heard.find(isAboutTransfer)!), keyId: randomUUID() };
    expect(await codeOf((await openHook())(one))).toBe('service.unavailable');
  });
});
