import { findTrouble, type Trouble } from './nodeMessages.ts';
import { openPost } from './openPost.ts';

/** The node processed the call and answered with an error. `message` is the node's own text. */
export class NodeError extends Error {
  readonly code: number;
  readonly trouble: Trouble | undefined;
  constructor(code: number, message: string, trouble?: Trouble) {
    super(message);
    this.name = 'NodeError';
    this.code = code;
    this.trouble = trouble;
  }
}

/** The node answered, but does not have the block in question: it lags, or follows another branch. */
export class OtherBranch extends NodeError {
  constructor() {
    super(0, 'it lags behind or follows another branch', 'no block');
    this.name = 'OtherBranch';
  }
}

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** One JSON-RPC endpoint. */
export interface Node {
  /** The only part of its URL that may be shown. The rest may contain an API key. */
  readonly host: string;
  /** Returns one answer per call, in order: a result or a `NodeError`. Throws when there is no answer. */
  ask(calls: readonly RpcCall[], timeoutMs?: number): Promise<unknown[]>;
  /** Makes one call. Throws a `NodeError`, or another error when there is no answer. */
  call<Result>(method: string, params: readonly unknown[], timeoutMs?: number): Promise<Result>;
}

/** Calls per request. Providers refuse larger batches. */
const BATCH = 20;

/** Twenty full blocks with their receipts are smaller. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * We do not use viem's transports, because they rename the nodes' errors ("already known" becomes a nonce error), and
 * we need the original messages.
 */
export function createNode(url: string, defaultTimeoutMs: number, maxAnswerBytes = MAX_ANSWER_BYTES): Node {
  const { host } = new URL(url);
  const post = openPost(url, maxAnswerBytes);

  async function askOnce(calls: readonly RpcCall[], timeoutMs: number): Promise<unknown[]> {
    const body = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
    let answer: unknown;
    let status: number;
    try {
      const response = await post(JSON.stringify(body.length === 1 ? body[0] : body), timeoutMs);
      ({ status } = response);
      answer = parseAnswer(response.text, status);
    } catch (error) {
      throw new Error(`${host} gave no answer to ${calls[0]?.method}: ${(error as Error).message}`, { cause: error });
    }
    const list = Array.isArray(answer) ? answer : [answer];
    const byId = new Map(list.map((one: { id?: unknown }) => [one?.id, one]));
    return calls.map((call, id) =>
      // An error about a whole batch has no id. It is the answer to each of its calls.
      readAnswer(byId.get(id) ?? (list.length === 1 ? list[0] : undefined), host, call, status),
    );
  }

  async function ask(calls: readonly RpcCall[], timeoutMs = defaultTimeoutMs): Promise<unknown[]> {
    const answers: unknown[] = [];
    for (let start = 0; start < calls.length; start += BATCH) {
      answers.push(...(await askOnce(calls.slice(start, start + BATCH), timeoutMs)));
    }
    return answers;
  }

  return {
    host,
    ask,
    async call<Result>(method: string, params: readonly unknown[], timeoutMs?: number) {
      const [answer] = await ask([{ method, params }], timeoutMs);
      if (answer instanceof NodeError) throw answer;
      return answer as Result;
    },
  };
}

/** Some nodes send errors with an HTTP error status. The body still describes the error, unless a gateway sent it. */
function parseAnswer(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`status ${status}, not JSON`);
  }
}

function readAnswer(answer: unknown, host: string, { method }: RpcCall, status: number): unknown {
  const { result, error } = (answer ?? {}) as { result?: unknown; error?: { code?: number; message?: string } };
  if (error && typeof error === 'object') {
    const { code = 0, message = '' } = error;
    const trouble = findTrouble(method, message, code === 429 ? 429 : status);
    // A refused broadcast is recognized by its own message, see `classifyBroadcast`.
    if (trouble === 'busy' && method !== 'eth_sendRawTransaction') {
      throw new Error(`${host} could not answer ${method}: ${message}`);
    }
    return new NodeError(code, message, trouble);
  }
  if (result === undefined) throw new Error(`${host} gave no result for ${method}`);
  return result;
}
