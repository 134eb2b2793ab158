import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '../../sdk/src/client/createClient.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { eventually } from '../../test/support/eventually.ts';
import { operate } from '../../test/support/operate.ts';
import type { Judge } from './judge.ts';
import { EVENTSOURCE, RECEIVERS } from './packages.ts';
import { useSandbox } from './useSandbox.ts';

const PAYMENTS = 20;

interface Delivered {
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

interface Verifier {
  readonly Webhook: new (secret: string) => { verify(body: string, headers: IncomingHttpHeaders): unknown };
}

interface EventSourceModule {
  readonly EventSource: new (
    url: string,
    init: { fetch(url: string | URL, init: RequestInit): Promise<Response> },
  ) => {
    onmessage: ((event: { readonly data: string }) => void) | null;
    onopen: (() => void) | null;
    addEventListener(type: string, listener: (event: { readonly data: string }) => void): void;
    close(): void;
  };
}

/** Pays, and lets the libraries of others verify every webhook and read every event of the stream. */
export const judgeReceivers: Judge = async (court) => {
  const verifiers = await court.install('receivers', RECEIVERS);
  const source = await court.install('eventsource', EVENTSOURCE);
  const { EventSource } = await source.load<EventSourceModule>('eventsource');
  const { state } = await useSandbox();
  const [alice, bob] = state.users;

  const inbox = await openInbox();
  const db = openDatabase(state.database_url, { maxConnections: 2 });
  const [backendKey] = /fsk_\S+/.exec(await operate(db, 'key', 'create', 'judges', '--scope', 'webhooks'))!;
  await db.close();
  const service = createClient({ backendUrl: state.backend_url, backendKey: backendKey! });
  const { secret, webhook_id } = await service.webhookEndpoints.create({ url: inbox.url, types: ['payment.complete'] });

  const heard = { named: [] as string[], plain: [] as string[] };
  const follow = async (query: string) => {
    const stream = new EventSource(`${state.backend_url}/api/v1/events/stream${query}`, {
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...init.headers, Authorization: `Bearer ${alice!.access_token}` } }),
    });
    await new Promise<void>((done) => (stream.onopen = done));
    return stream;
  };
  const named = await follow('');
  named.addEventListener('payment.complete', ({ data }) => heard.named.push(JSON.parse(data).transaction_id));
  const plain = await follow('?event_name=message');
  plain.onmessage = ({ data }) => heard.plain.push(JSON.parse(data).transaction_id);

  const paid: string[] = [];
  for (let nth = 0; nth < PAYMENTS; nth++) {
    const answer = await fetch(`${state.backend_url}/api/v1/send_usdc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `judged-${process.pid}-${nth}` },
      body: JSON.stringify({ sender_user_id: alice!.user_id, receiver_username: bob!.username, amount: 0.01 }),
    });
    paid.push(((await answer.json()) as { transaction_id: string }).transaction_id);
  }
  await eventually(() => {
    if (Math.min(inbox.delivered.length, heard.named.length, heard.plain.length) < PAYMENTS) throw new Error('not yet');
  }).catch(() => {});
  for (const stream of [named, plain]) stream.close();
  await service.webhookEndpoints.remove(webhook_id);
  await inbox.close();

  const idsOf = (delivered: readonly Delivered[]) => delivered.map(({ body }) => JSON.parse(body).data.transaction_id);
  const missing = (what: string, ids: readonly string[]) =>
    paid.filter((id) => !ids.includes(id)).map((id) => `${what}: no event of the payment ${id}`);
  const verdicts = [];
  for (const name of Object.keys(RECEIVERS)) {
    const { Webhook } = await verifiers.load<Verifier>(name);
    const findings = missing('webhooks', idsOf(inbox.delivered));
    for (const { body, headers } of inbox.delivered) findings.push(...refusals(Webhook, secret, body, headers));
    const about = `verifies the webhooks of ${PAYMENTS} payments, and refuses them with another body`;
    verdicts.push({ judge: name, version: verifiers.versionOf(name), about, findings });
  }
  const streamed = [...missing('listeners', heard.named), ...missing('onmessage', heard.plain)];
  const about = `reads the stream of ${PAYMENTS} payments, by type and with onmessage`;
  return [...verdicts, { judge: 'eventsource', version: source.versionOf('eventsource'), about, findings: streamed }];
};

function refusals(Webhook: Verifier['Webhook'], secret: string, body: string, headers: IncomingHttpHeaders): string[] {
  const verifies = (text: string) => {
    try {
      new Webhook(secret).verify(text, headers);
      return true;
    } catch {
      return false;
    }
  };
  const id = headers['webhook-id'];
  return [
    ...(verifies(body) ? [] : [`refuses ${id}`]),
    ...(verifies(body.replace('{', '{ ')) ? [`accepts ${id} with another body`] : []),
  ];
}

async function openInbox() {
  const delivered: Delivered[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      delivered.push({ body, headers: request.headers });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    delivered,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
