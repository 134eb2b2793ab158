/**
 * A backend that receives webhooks and shows the balance of one of your wallets. It asks the service once at its start,
 * and then only after a webhook reports a change.
 *
 *     npm run build -w @florin/client
 *     WALLET_ADDRESS=0x… WEBHOOK_SECRET=whsec_… node --import tsx examples/backend.ts
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, FlorinError, type WebhookMessage, webhooks } from '@florin/client';

const { WALLET_ADDRESS: address = '', WEBHOOK_SECRET: secret = '' } = process.env;
const florin = createClient({
  web3Url: process.env.FLORIN_WEB3_URL ?? 'http://127.0.0.1:8000',
  web3Key: process.env.FLORIN_SERVICE_KEY,
});

let shown = 'not known yet';
async function readBalance(): Promise<void> {
  const { balances } = await florin.wallets.overview(address);
  shown = balances.map(({ available, blockchain }) => `${available} USDC on ${blockchain}`).join('\n');
}

/** Messages arrive at least once; the id identifies repetitions. A real backend stores the ids in its database. */
const taken = new Set<string>();

async function takeWebhook(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  let message: WebhookMessage;
  try {
    message = await webhooks.verify(Buffer.concat(parts), request.headers, { secret });
  } catch (error) {
    response.writeHead(401).end((error as Error).message);
    return;
  }
  const id = String(request.headers['webhook-id']);
  if (!taken.has(id) && /^(payment|deposit|refund)\./.test(message.type)) await readBalance();
  taken.add(id);
  // Only now: if this program fails earlier, the message is sent again.
  response.writeHead(204).end();
}

const server = createServer(async (request, response) => {
  try {
    if (request.method === 'POST' && request.url === '/webhooks') await takeWebhook(request, response);
    else if (request.method === 'GET' && request.url === '/') response.end(`${shown}\n`);
    else response.writeHead(404).end();
  } catch (error) {
    console.error(error instanceof FlorinError ? error.message : error);
    response.writeHead(503).end();
  }
});

await readBalance();
server.listen(Number(process.env.PORT ?? 8090), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
