/** A local chain that mines by itself, the Circle double on it, and a server that receives its webhooks. */
import { constants, publicEncrypt, randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningCircleDouble, startCircleDouble } from '../../../sandbox/src/circle/startCircleDouble.ts';
import { PLACE, type ServedTestChain, serveTestChain } from '../chain/serveTestChain.ts';
import { listen } from '../http/listen.ts';
import { HOME } from '../values.ts';

/** Small keys, short steps, and gas for every wallet. */
export const QUICK = { keyBits: 1024, stepMs: 10, limits: false, gas: 'given' } as const;

interface HeardWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface CircleWorld {
  readonly chain: ServedTestChain;
  /** For `startCircleDouble`. */
  readonly chains: Parameters<typeof startCircleDouble>[0]['chains'];
  readonly double: RunningCircleDouble;
  readonly hookUrl: string;
  readonly heard: readonly HeardWebhook[];
  /** In the next block. */
  mint(address: string, usdc: string): Promise<void>;
  setMining(isMining: boolean): void;
  stop(): Promise<void>;
}

const BLOCK_MS = 60;

export async function startCircleWorld(options: { readonly stateFile?: string } = {}): Promise<CircleWorld> {
  const chain = await serveTestChain();
  const chains = [{ blockchain: HOME, chain_id: PLACE.chainId, rpc_url: chain.url, usdc_address: PLACE.usdc }];
  const heard: HeardWebhook[] = [];
  const hook = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    if (request.method === 'POST') heard.push({ headers: request.headers, body: Buffer.concat(parts) });
    response.writeHead(200).end();
  });
  const hookUrl = `http://127.0.0.1:${await listen(hook)}/`;
  const double = await startCircleDouble({ chains, ...QUICK, ...options });
  let isMining = true;
  let isStopped = false;
  const mining = (async () => {
    for (; !isStopped; await sleep(BLOCK_MS)) if (isMining) await chain.local.mine();
  })();
  return {
    chain,
    chains,
    double,
    hookUrl,
    heard,
    async mint(address, usdc) {
      await chain.turn('/faucet', { address, usdc });
    },
    setMining(wanted) {
      isMining = wanted;
    },
    async stop() {
      isStopped = true;
      await mining;
      await double.stop();
      hook.close();
      await chain.close();
    },
  };
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes
  readonly body: any;
}

export interface CircleCaller {
  get(path: string): Promise<Answer>;
  /** Posts with a fresh ciphertext and a new idempotency key, unless the body has its own. */
  post(path: string, body: object): Promise<Answer>;
  ask(method: string, path: string, body?: object): Promise<Answer>;
  encrypt(): Promise<string>;
}

/** Calls the API directly, for requests that the SDK would not send. */
export function callCircle({ url, apiKey, entitySecret }: RunningCircleDouble): CircleCaller {
  async function ask(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
  }
  async function encrypt(secret = entitySecret): Promise<string> {
    const { body } = await ask('GET', '/v1/w3s/config/entity/publicKey');
    const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
    return publicEncrypt({ key: body.data.publicKey, ...padding }, Buffer.from(secret, 'hex')).toString('base64');
  }
  return {
    ask,
    encrypt,
    get: (path) => ask('GET', path),
    async post(path, body) {
      return ask('POST', path, { entitySecretCiphertext: await encrypt(), idempotencyKey: randomUUID(), ...body });
    },
  };
}
