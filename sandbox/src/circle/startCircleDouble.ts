/**
 * `circle/` stands in for Circle's developer-controlled wallets: the same paths, bodies, ciphertexts, states and signed
 * webhooks, on the sandbox's local chains, so that coins really move. It has the keys of all its wallets and a page
 * with switches that anyone can use to break it, so it listens only on this machine.
 */

import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Hex, hexToNumber } from 'viem';
import { z } from 'zod';
import { isSameSecret } from '../../../server/src/core/isSameSecret.ts';
import { surviveSocketErrors } from '../../../server/src/http/connections/surviveSocketErrors.ts';
import { StartFault } from '../fault.ts';
import { readBody } from '../readBody.ts';
import { type Api, type ApiAnswer, answerApi, TOO_MANY } from './api/answerApi.ts';
import { createIdempotency } from './api/idempotency.ts';
import { createLimits } from './api/limits.ts';
import { makeSubscription } from './api/notificationCalls.ts';
import { createTransactionRunner, type Heights } from './carryTransactions.ts';
import { createChainClient, type DoubleChain } from './chainClient.ts';
import type { Double } from './double.ts';
import { answerPage } from './page/answerPage.ts';
import { newWebhookKey, prepareSecrets } from './prepareSecrets.ts';
import type { Transaction, Wallet } from './records.ts';
import { createNotifier, type SentWebhook } from './sendNotifications.ts';
import { openStore } from './store.ts';
import { normalSwitches, type SwitchChange, type Switches, takeAnswerFault, turnSwitches } from './switches.ts';
import { createInbound } from './watchInbound.ts';

interface CircleDoubleOptions {
  /** The chains on which EVM wallets have their coins. On other EVM chains, wallets can only sign. */
  readonly chains: readonly DoubleChain[];
  /** The file for all records; without it, everything is lost when the double stops. */
  readonly stateFile?: string;
  /** Default: any free port. */
  readonly port?: number;
  readonly host?: string;
  /** Both are created at the first start and stored. */
  readonly apiKey?: string;
  readonly entitySecret?: string;
  /** Starts without a wallet set, like an unused account. */
  readonly isEmpty?: boolean;
  /** Subscribed from the start, in addition to the clients' subscriptions. */
  readonly webhookUrl?: string;
  /** Circle's key has 4096 bits; generating one takes a few seconds, so tests can choose fewer. */
  readonly keyBits?: number;
  /** Whether Circle's request limits apply from the start. Default: yes. */
  readonly limits?: boolean;
  /** Whether plain wallets get gas when they need it, from the start. Default: they need their own. */
  readonly gas?: Switches['gas'];
  /** The time that a transaction stays in a state before the next step; `never`: until `control.step` is called. */
  readonly stepMs?: number | 'never';
  readonly log?: (line: string) => void;
}

export interface RunningCircleDouble {
  readonly url: string;
  readonly apiKey: string;
  readonly entitySecret: string;
  /** The wallet set that exists from the start. */
  readonly walletSetId: string;
  readonly control: CircleControl;
  stop(): Promise<void>;
}

/** Controls for tests and the sandbox that Circle's API does not have. */
interface CircleControl {
  readonly switches: Readonly<Switches>;
  /** The same as `POST /switches`. */
  turn(change: SwitchChange): void;
  /** Resets everything to the start; the same as `DELETE /switches`. */
  reset(): void;
  wallets(): readonly Wallet[];
  transactions(): readonly Transaction[];
  /** Adds prepared records, unchanged. */
  plant(transactions: readonly Transaction[]): void;
  /** The API requests so far, like `GET /v1/w3s/transactions?blockchain=ETH`; the last 10,000. */
  requests(): readonly string[];
  /** The last delivery attempts of webhooks, oldest first. */
  webhooks(): readonly SentWebhook[];
  /** Advances every transaction by one step now. */
  step(): Promise<void>;
  /** Signs webhooks with another key from now on. Returns its id. */
  rotateWebhookKey(): string;
}

const HOSTS = ['127.0.0.1', 'localhost', '::1'];
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;
const BODY_LIMIT_BYTES = 1_000_000;
const STEP_MS = 100;
const KEPT_REQUESTS = 10_000;

export async function startCircleDouble(options: CircleDoubleOptions): Promise<RunningCircleDouble> {
  const { host = '127.0.0.1', log = () => {}, limits = true } = options;
  if (!HOSTS.includes(host)) {
    throw new StartFault(
      `The sandbox's Circle double has keys of wallets, so it listens on 127.0.0.1 only, not on ${host}.`,
    );
  }
  const store = openStore(options.stateFile);
  const secrets = await prepareSecrets(store, { ...options, keyBits: options.keyBits ?? 4096 });
  const switches = normalSwitches(limits, options.gas);
  const stopping = new AbortController();
  // Every running webhook call adds a listener; Node warns about more than ten.
  setMaxListeners(0, stopping.signal);
  const notifier = createNotifier({ store, switches, log, stopping: stopping.signal });
  const chains = new Map(options.chains.map((chain) => [chain.blockchain, createChainClient(chain)]));
  const double: Double = { store, secrets, chains, switches, notify: notifier.notify, greet: notifier.greet, log };
  if (options.webhookUrl && !store.subscriptions.list().some(({ endpoint }) => endpoint === options.webhookUrl)) {
    store.subscriptions.put(makeSubscription(options.webhookUrl));
  }

  const requests: string[] = [];
  const control: CircleControl = {
    switches,
    turn: (change) => turnSwitches(switches, change),
    reset: () => void Object.assign(switches, normalSwitches(limits, options.gas)),
    wallets: () => store.wallets.list(),
    transactions: () => store.transactions.list(),
    plant(transactions) {
      for (const one of transactions) store.transactions.put(one);
    },
    requests: () => requests,
    webhooks: () => notifier.sent,
    step: () => clock.step(),
    rotateWebhookKey() {
      const key = newWebhookKey();
      store.webhookKeys.put(key);
      return key.id;
    },
  };

  const api: Api = { double, limits: createLimits(), idempotency: createIdempotency(store, switches) };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = `http://double${request.url}`;
    const body = await readBody(request, BODY_LIMIT_BYTES);
    if (!LOOPBACK.test(request.headers.host ?? '') || !URL.canParse(url) || !body) {
      return sendJson(response, { status: 400, body: { code: 2, message: 'Bad request' } });
    }
    const call = { method: request.method ?? '', url: new URL(url), body, headers: request.headers };
    const path = call.url.pathname.replace(/^\/+/, '/');
    if (path === '/ping') return sendJson(response, { status: 200, body: { message: 'pong' } });
    if (/^\/v\d\//.test(path)) return answerCircle(request, response, call);
    if (path === '/switches') return sendJson(response, answerSwitches(call));
    const { status, headers, html } = await answerPage({ double, control, sent: notifier.sent }, call);
    response.writeHead(status, headers).end(html);
  }

  async function answerCircle(
    request: IncomingMessage,
    response: ServerResponse,
    call: { method: string; url: URL; body: Buffer },
  ): Promise<void> {
    const wanted = Buffer.from(`Bearer ${secrets.apiKey}`);
    if (!isSameSecret(Buffer.from(request.headers.authorization ?? ''), wanted)) {
      return sendJson(response, { status: 401, body: { code: 401, message: 'Invalid credentials.' } });
    }
    requests.push(`${call.method} ${call.url.pathname}${call.url.search}`);
    if (requests.length > KEPT_REQUESTS) requests.shift();
    const fault = takeAnswerFault(switches, call.method, call.url.pathname);
    if (fault === 'busy') return sendJson(response, TOO_MANY);
    if (fault === 'error') return sendJson(response, FAILED);
    const given = await answerApi(api, call);
    store.flush();
    if (fault === 'cut_after') return void request.socket.destroy();
    // The client must time out by itself; the connection is closed when the double stops.
    if (fault === 'silent_after') return;
    sendJson(response, fault === 'error_after' ? FAILED : given);
  }

  /** `GET`: reads the switches. `POST`: changes some. `DELETE`: resets all. Pages of other sites cannot reach them. */
  function answerSwitches(call: { method: string; body: Buffer; headers: IncomingMessage['headers'] }): ApiAnswer {
    if (call.headers.origin !== undefined)
      return { status: 403, body: { detail: 'pages of other sites may not call this' } };
    try {
      if (call.method === 'POST') control.turn(JSON.parse(call.body.toString('utf8') || '{}') as SwitchChange);
      if (call.method === 'DELETE') control.reset();
    } catch (error) {
      return { status: 400, body: { detail: error instanceof z.ZodError ? z.prettifyError(error) : 'not JSON' } };
    }
    return { status: 200, body: switches };
  }

  const server = surviveSocketErrors(
    createServer((request, response) => {
      answer(request, response).catch((error: Error) => {
        if (stopping.signal.aborted) return void response.destroy();
        log(`Circle double: ${error.message}`);
        if (!response.headersSent) sendJson(response, FAILED);
      });
    }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port: options.port ?? 0 }, resolve);
  });
  const clock = startClock(double, options.stepMs ?? STEP_MS);

  return {
    url: `http://${host === '::1' ? '[::1]' : host}:${(server.address() as AddressInfo).port}`,
    apiKey: secrets.apiKey,
    entitySecret: secrets.entitySecret,
    walletSetId: secrets.walletSetId,
    control,
    async stop() {
      stopping.abort();
      await clock.stop();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      store.close();
    },
  };
}

const FAILED: ApiAnswer = { status: 500, body: { code: -1, message: 'Something went wrong.' } };

/** Steps follow each other with a pause, never two at a time. */
function startClock(double: Double, stepMs: number | 'never'): { step(): Promise<void>; stop(): Promise<void> } {
  const runner = createTransactionRunner(double);
  const inbound = createInbound(double);
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  async function step(): Promise<void> {
    const heights = await readHeights(double);
    await inbound.step(heights).catch((error: Error) => double.log(`Circle double: ${error.message}`));
    await runner.step(heights);
  }
  function schedule(): void {
    if (isStopped || stepMs === 'never') return;
    timer = setTimeout(() => {
      running = running.then(step).finally(schedule);
    }, stepMs);
    timer.unref();
  }
  schedule();
  return {
    step() {
      running = running.then(step);
      return running;
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Skips chains that do not answer. */
async function readHeights({ chains }: Double): Promise<Map<string, Heights>> {
  const heights = new Map<string, Heights>();
  for (const chain of chains.values()) {
    const ask = (tag: string) => chain.call<{ number: Hex }>('eth_getBlockByNumber', [tag, false]);
    try {
      const [head, finalized] = [await ask('latest'), await ask('finalized')];
      heights.set(chain.blockchain, { head: hexToNumber(head.number), finalized: hexToNumber(finalized.number) });
    } catch {
      // The next step asks again; a restarting chain is not worth a message.
    }
  }
  return heights;
}

function sendJson(response: ServerResponse, { status, body }: ApiAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
