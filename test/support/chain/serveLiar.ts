/** A node in front of the local chain that tells the truth about everything except its lie. */
import { createServer } from 'node:http';
import { listen } from '../http/listen.ts';

export interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** An error answer, in the words of a real provider. */
export class Refusal extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** Returns the false answer. `ask` asks the chain itself. */
export type Lie = (call: Call, truth: unknown, ask: Ask) => unknown;

export interface Liar {
  readonly url: string;
  readonly host: string;
  lie: Lie | 'silent' | undefined;
  /** Raw bytes are kept and answered as accepted, not forwarded. */
  keepsBroadcasts: boolean;
  readonly kept: string[];
  close(): void;
}

export async function serveLiar(chainUrl: string): Promise<Liar> {
  const ask: Ask = async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(chainUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { result, error } = (await answer.json()) as { result?: unknown; error?: { code: number; message: string } };
    if (error) throw new Refusal(error.code, error.message);
    return result;
  };

  async function answerOne(call: Call & { id: unknown }): Promise<unknown> {
    const { id, method, params } = call;
    try {
      if (method === 'eth_sendRawTransaction' && liar.keepsBroadcasts) {
        liar.kept.push(String(params[0]));
        return { jsonrpc: '2.0', id, result: `0x${'00'.repeat(32)}` };
      }
      // The local chain does not have every method that a liar answers.
      const truth = await ask(method, params).catch((error: unknown) => error);
      const result = typeof liar.lie === 'function' ? await liar.lie(call, truth, ask) : truth;
      if (result instanceof Error) throw result;
      return { jsonrpc: '2.0', id, result };
    } catch (error) {
      const { code = -32603, message } = error as Refusal;
      return { jsonrpc: '2.0', id, error: { code, message } };
    }
  }

  const server = createServer(async (request, response) => {
    if (liar.lie === 'silent') return void request.socket.destroy();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const answers = await Promise.all((Array.isArray(body) ? body : [body]).map(answerOne));
    response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  });
  const host = `127.0.0.1:${await listen(server)}`;
  const liar: Liar = {
    url: `http://${host}/secret-key`,
    host,
    lie: undefined,
    keepsBroadcasts: false,
    kept: [],
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return liar;
}
