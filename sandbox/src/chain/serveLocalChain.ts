import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Address, getAddress, isAddress } from 'viem';
import { z } from 'zod';
import { surviveSocketErrors } from '../../../server/src/http/connections/surviveSocketErrors.ts';
import { answerRpc, finalityOf, NO_ANSWER } from './answerRpc.ts';
import { RpcError } from './createEvm.ts';
import { faultsSchema, noFaults, setFaults } from './faults.ts';
import { PAIRS } from './genesis.ts';
import { type LocalChain, MAX_REORG } from './openLocalChain.ts';
import { operateToken } from './operateToken.ts';

const HOST = '127.0.0.1';
/** Only needed to parse paths as URLs. */
const BASE = 'http://local';
const MAX_BODY_BYTES = 4 * 2 ** 20;

const address = z
  .string()
  .refine((text) => isAddress(text), 'is not an address')
  .transform((text): Address => getAddress(text));
const decimal = (places: number) =>
  z.string().regex(new RegExp(`^\\d{1,12}(\\.\\d{1,${places}})?$`), `is not a decimal with at most ${places} places`);
const parseDecimal = (text: string, places: number): bigint => {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(places, '0'));
};

export interface ServedChain {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * JSON-RPC at `POST /`, on loopback only, and switches for tests and people. All bodies are JSON:
 *
 * - `GET /`: the chain's name, head and active faults
 * - `POST /mining` `{"running": false}`: stops and resumes the one-second blocks
 * - `POST /mine` `{"blocks": 1, "advance_seconds": 1}`: mines blocks immediately
 * - `POST /reorg` `{"depth": 2, "orphans": "return" | "drop"}`
 * - `POST /faults` (see `faults.ts`), `DELETE /faults`
 * - `POST /faucet` `{"address": "0x…", "usdc": "100", "eth": "1"}`
 * - `POST /drain` `{"address": "0x…"}`: removes all its gas
 * - `POST /token` `{"paused": true}`, `{"blacklist": "0x…"}`, `{"unblacklist": "0x…"}`
 * - `POST /price` `{"pair": "ETH/USD", "price": "3000.5", "updated_at": 0}`
 */
export async function serveLocalChain(chain: LocalChain, label: string, port = 0): Promise<ServedChain> {
  const faults = noFaults();
  const operator = operateToken(chain);
  const applyToBlocks = () => {
    chain.setBaseFee(faults.base_fee_wei === null ? undefined : BigInt(faults.base_fee_wei));
    chain.setGasLimit(faults.block_gas_limit === null ? undefined : BigInt(faults.block_gas_limit));
  };

  const status = async () => ({
    blockchain: label,
    chain_id: chain.place.chainId,
    head: chain.head,
    finalized: Math.max(0, chain.head - finalityOf(faults)),
    running: chain.isMining,
    usdc_address: chain.place.usdc,
    feeds: chain.place.feeds,
    faults,
  });

  const switches: Record<string, (body: unknown) => Promise<unknown>> = {
    'GET /': status,
    'POST /mining': async (body) => {
      chain.setMining(z.strictObject({ running: z.boolean() }).parse(body).running);
      return status();
    },
    'POST /mine': async (body) => {
      const { blocks, advance_seconds: advanceSeconds } = z
        .strictObject({
          blocks: z.int().min(1).max(10_000).default(1),
          advance_seconds: z.int().min(1).max(31_536_000).default(1),
        })
        .parse(body);
      await chain.mine({ count: blocks, advanceSeconds });
      return status();
    },
    'POST /reorg': async (body) => {
      const { depth, orphans } = z
        .strictObject({ depth: z.int().min(1).max(MAX_REORG), orphans: z.enum(['return', 'drop']).default('return') })
        .parse(body);
      await chain.reorg(depth, orphans);
      return status();
    },
    'POST /faults': async (body) => {
      setFaults(faults, faultsSchema.parse(body));
      applyToBlocks();
      return status();
    },
    'DELETE /faults': async () => {
      Object.assign(faults, noFaults());
      applyToBlocks();
      return status();
    },
    'POST /faucet': async (body) => {
      const {
        address: to,
        usdc,
        eth,
      } = z.strictObject({ address, usdc: decimal(6).optional(), eth: decimal(18).optional() }).parse(body);
      return {
        ...(eth && { gas_tx_hash: await operator.sendGas(to, parseDecimal(eth, 18)) }),
        ...(usdc && { tx_hash: await operator.mint(to, parseDecimal(usdc, 6)) }),
      };
    },
    'POST /drain': async (body) => {
      const { address: from } = z.strictObject({ address }).parse(body);
      await chain.setBalance(from, 0n);
      return status();
    },
    'POST /token': async (body) => {
      const { paused, blacklist, unblacklist } = z
        .strictObject({
          paused: z.boolean().optional(),
          blacklist: address.optional(),
          unblacklist: address.optional(),
        })
        .parse(body);
      return {
        ...(paused !== undefined && { paused_tx_hash: await operator.setPaused(paused) }),
        ...(blacklist && { blacklist_tx_hash: await operator.setBlacklisted(blacklist, true) }),
        ...(unblacklist && { unblacklist_tx_hash: await operator.setBlacklisted(unblacklist, false) }),
      };
    },
    'POST /price': async (body) => {
      const {
        pair,
        price,
        updated_at: updatedAt,
      } = z.strictObject({ pair: z.enum(PAIRS), price: decimal(8), updated_at: z.int().min(0).default(0) }).parse(body);
      return { tx_hash: (await operator.setPrice(pair, price, updatedAt)) ?? null };
    },
  };

  async function answerOne(call: unknown): Promise<unknown> {
    const { id = null, method, params = [] } = (call ?? {}) as { id?: unknown; method?: unknown; params?: unknown };
    try {
      if (typeof method !== 'string' || !Array.isArray(params)) throw new RpcError(-32600, 'invalid request');
      const result = await answerRpc(chain, faults, method, params);
      return result === NO_ANSWER ? NO_ANSWER : { jsonrpc: '2.0', id, result };
    } catch (error) {
      const { code = -32603, message, data } = error as Partial<RpcError> & Error;
      return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = (code: number, body: unknown) => {
      response.writeHead(code, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (!isLocal(request)) return reply(403, { detail: 'only programs on this machine may call this' });
    const url = request.url ?? '/';
    if (!URL.canParse(url, BASE)) return reply(400, { detail: 'the address cannot be read' });
    const path = new URL(url, BASE).pathname;
    let body: unknown;
    try {
      body = request.method === 'POST' ? JSON.parse((await readText(request)) || '{}') : undefined;
    } catch {
      return reply(400, { detail: 'the body is not JSON' });
    }
    if (request.method === 'POST' && path === '/') {
      const answers = await Promise.all((Array.isArray(body) ? body : [body]).map(answerOne));
      if (answers.includes(NO_ANSWER)) return void request.socket.destroy();
      return reply(200, Array.isArray(body) ? answers : answers[0]);
    }
    const turn = switches[`${request.method} ${path}`];
    if (!turn) return reply(404, { detail: 'there is no such switch', switches: Object.keys(switches) });
    try {
      reply(200, await turn(body));
    } catch (error) {
      reply(400, { detail: error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message });
    }
  }

  const server = surviveSocketErrors(createServer((request, response) => void handle(request, response)));
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(port, HOST, done);
  });
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** A web page must not reach the switches, not even by DNS rebinding. */
function isLocal({ headers }: IncomingMessage): boolean {
  return headers.origin === undefined && /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(headers.host ?? '');
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
