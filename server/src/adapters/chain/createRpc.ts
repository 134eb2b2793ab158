import { PayError } from '../../core/errors.ts';

/** The node understood the call and answered with an error. `message` is the node's own text. */
export class NodeError extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'NodeError';
    this.code = code;
    this.data = data;
  }
}

/** The node answered, but does not have the block in question: it lags behind, or follows another branch. */
export class OtherBranch extends Error {
  constructor() {
    super('the node lags behind or follows another branch');
    this.name = 'OtherBranch';
  }
}

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface Endpoint {
  /** One answer per call, in order, all from this node: a result or a `NodeError`. Throws when there is no answer. */
  ask(calls: readonly RpcCall[], timeoutMs: number): Promise<unknown[]>;
}

/**
 * The URL may hold a key, so it never appears in an error. viem's transports are not used: they rename the nodes'
 * errors ("already known" becomes a nonce error), and `classifyBroadcast` needs the node's own message.
 */
function createEndpoint(url: string): Endpoint {
  const { host } = new URL(url);
  return {
    async ask(calls, timeoutMs) {
      const body = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
      let answer: unknown;
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body.length === 1 ? body[0] : body),
          signal: AbortSignal.timeout(timeoutMs),
          redirect: 'error',
        });
        const text = await response.text();
        answer = parseAnswer(text, response.status);
      } catch (error) {
        throw new Error(`${host} gave no answer to ${calls[0]?.method}: ${(error as Error).message}`, { cause: error });
      }
      const list = Array.isArray(answer) ? answer : [answer];
      const byId = new Map(list.map((one: { id?: unknown }) => [one?.id, one]));
      return calls.map((call, id) =>
        readAnswer(byId.get(id) ?? (calls.length === 1 ? list[0] : undefined), host, call),
      );
    },
  };
}

/** Some nodes send errors with an HTTP error status; the body still says what happened, unless a gateway sent it. */
function parseAnswer(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`status ${status}, not JSON`);
  }
}

/** Rate limits, time-outs and faults of the node itself: these do not answer the call. */
const NO_ANSWER_CODES = [-32005, -32016, -32097, 429];
const NO_ANSWER_WORDS =
  /rate limit|too many requests|timeout|timed out|internal error|service unavailable|try again|capacity|no response|backend/i;

function readAnswer(answer: unknown, host: string, { method }: RpcCall): unknown {
  const { result, error } = (answer ?? {}) as {
    result?: unknown;
    error?: { code?: number; message?: string; data?: unknown };
  };
  if (error && typeof error === 'object') {
    const { code = 0, message = '', data } = error;
    if (NO_ANSWER_CODES.includes(code) || NO_ANSWER_WORDS.test(message)) {
      throw new Error(`${host} could not answer ${method}: ${message}`);
    }
    return new NodeError(code, message, data);
  }
  if (result === undefined) throw new Error(`${host} gave no result for ${method}`);
  return result;
}

export interface Rpc {
  /** One call, answered by the first endpoint that can. Throws `NodeError` or `service.unavailable`. */
  call<Result>(method: string, params: readonly unknown[], timeoutMs?: number): Promise<Result>;
  /** Several calls to the same endpoint. When `accept` answers undefined, the next endpoint is asked. */
  callTogether<Result>(
    calls: readonly RpcCall[],
    accept: (answers: unknown[]) => Result | undefined,
    timeoutMs?: number,
  ): Promise<Result>;
  readonly endpoints: readonly Endpoint[];
}

/** An endpoint that failed is asked last for this long, so that not every call waits for its time-out. */
const SHUN_MS = 15_000;

export function createRpc(blockchain: string, urls: readonly string[], defaultTimeoutMs: number): Rpc {
  const endpoints = urls.map((url) => createEndpoint(url));
  const shunnedUntil = new Map<Endpoint, number>();

  function inOrder(): Endpoint[] {
    const now = Date.now();
    return endpoints.toSorted((a, b) => Number(isShunned(a, now)) - Number(isShunned(b, now)));
  }
  const isShunned = (endpoint: Endpoint, now: number): boolean => (shunnedUntil.get(endpoint) ?? 0) > now;

  async function callTogether<Result>(
    calls: readonly RpcCall[],
    accept: (answers: unknown[]) => Result | undefined,
    timeoutMs = defaultTimeoutMs,
  ): Promise<Result> {
    const causes: Error[] = [];
    for (const endpoint of inOrder()) {
      try {
        const accepted = accept(await endpoint.ask(calls, timeoutMs));
        if (accepted !== undefined) return accepted;
        causes.push(new OtherBranch());
      } catch (error) {
        if (error instanceof NodeError) throw error;
        causes.push(error as Error);
        shunnedUntil.set(endpoint, Date.now() + SHUN_MS);
      }
    }
    throw new PayError('service.unavailable', { dependency: blockchain }, { cause: new AggregateError(causes) });
  }

  return {
    endpoints,
    callTogether,
    async call<Result>(method: string, params: readonly unknown[], timeoutMs?: number) {
      const { result } = await callTogether([{ method, params }], ([answer]) => ({ result: answer }), timeoutMs);
      if (result instanceof NodeError) throw result;
      return result as Result;
    },
  };
}
