/** The faucet behind the wallet's button: mints a little USDC to an address on the home blockchain. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { surviveSocketErrors } from '../../../server/src/http/connections/surviveSocketErrors.ts';
import { readBody } from '../readBody.ts';

interface FaucetOptions {
  readonly port: number;
  /** The RPC URL of the home blockchain. Its own faucet provides the coins. */
  readonly rpcUrl: string;
  /** The wallet's origin: pages of other sites are refused. */
  readonly origins: readonly string[];
}

interface RunningFaucet {
  readonly url: string;
  stop(): Promise<void>;
}

const USDC = '100';
const BODY_LIMIT_BYTES = 1_000;

export async function startFaucet({ port, rpcUrl, origins }: FaucetOptions): Promise<RunningFaucet> {
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { origin = '' } = request.headers;
    if (!origins.includes(origin)) return void response.writeHead(403).end();
    const headers = { 'access-control-allow-origin': origin, 'access-control-allow-headers': 'content-type' };
    if (request.method === 'OPTIONS') return void response.writeHead(204, headers).end();
    const body = await readBody(request, BODY_LIMIT_BYTES);
    const address = body && /^\{"address":"(0x[0-9a-fA-F]{40})"\}$/.exec(body.toString('utf8'))?.[1];
    if (request.method !== 'POST' || !address) return void response.writeHead(400, headers).end();
    const minted = await fetch(`${rpcUrl}/faucet`, {
      method: 'POST',
      body: JSON.stringify({ address, usdc: USDC }),
      signal: AbortSignal.timeout(60_000),
    });
    response.writeHead(minted.ok ? 200 : 502, { ...headers, 'content-type': 'application/json' });
    response.end(JSON.stringify({ amount: USDC }));
  }

  const server = surviveSocketErrors(
    createServer((request, response) => {
      answer(request, response).catch(() => {
        if (!response.headersSent) response.writeHead(502);
        response.end();
      });
    }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port }, resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
