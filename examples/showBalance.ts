/**
 * A backend that shows the balance of a wallet of yours.
 *
 *     npm run build -w @florin/client
 *     WALLET_ADDRESS=0x… node --import tsx examples/showBalance.ts
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServiceClient, FlorinError } from '@florin/client';

const address = process.env.WALLET_ADDRESS ?? '';
const service = createServiceClient({
  baseUrl: process.env.FLORIN_WEB3_URL ?? 'http://127.0.0.1:8000',
  serviceKey: process.env.FLORIN_SERVICE_KEY,
  timeoutMs: 5_000,
  // A page is waited for: better an error soon than an answer late.
  retry: { totalMs: 5_000 },
});

const server = createServer(async (request, response) => {
  if (request.method !== 'GET' || request.url !== '/') return void response.writeHead(404).end();
  try {
    const { balances } = await service.overview(address);
    const lines = balances.map(({ available, held, blockchain }) => `${available} USDC (${held} held) on ${blockchain}`);
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(`${lines.join('\n')}\n`);
  } catch (error) {
    if (!(error instanceof FlorinError)) throw error;
    response.writeHead(502, { 'content-type': 'text/plain; charset=utf-8' }).end(`${error.title}\n`);
  }
});
server.listen(Number(process.env.PORT ?? 8090), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
