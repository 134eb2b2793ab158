/** A webhook receiver on a real socket. It accepts only what the specification's library verifies. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { listen } from './listen.ts';

interface Heard {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown>;
  readonly headers: IncomingHttpHeaders;
}

export interface Receiver {
  readonly url: string;
  /** Verified calls in the order in which they came, also those that got a bad answer. */
  readonly heard: Heard[];
  /** Why calls were not accepted. */
  readonly doubts: string[];
  /** A secret that it accepts; with several, each must have signed. */
  trust(...secrets: string[]): void;
  /** Any of these is enough, as for a receiver that rotates its secret. */
  trustAny(...secrets: string[]): void;
  /** Answers unverified calls; by default with 401. */
  doubt(how: (response: ServerResponse) => void): void;
  /** Sets its answers from now on. */
  answer(how: (response: ServerResponse, heard: Heard) => void): void;
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const heard: Heard[] = [];
  const doubts: string[] = [];
  let trusted: Webhook[] = [];
  let isAnyEnough = false;
  let doubt = (response: ServerResponse): void => void response.writeHead(401).end();
  let how = (response: ServerResponse, _: Heard): void => void response.writeHead(204).end();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      const { headers } = request;
      try {
        if (trusted.length === 0) throw new Error('nothing is trusted');
        const verified = trusted.map((one) => attempt(() => one.verify(body, headers as Record<string, string>)));
        const found = verified.flatMap((one) => ('value' in one ? [one.value] : []));
        const [doubt] = verified.flatMap((one) => ('error' in one ? [one.error] : []));
        if (doubt && (!isAnyEnough || found.length === 0)) throw doubt;
        const one: Heard = {
          id: String(headers['webhook-id']),
          ...(found[0] as Pick<Heard, 'type' | 'timestamp' | 'data'>),
          headers,
        };
        heard.push(one);
        how(response, one);
      } catch (error) {
        doubts.push((error as Error).message);
        doubt(response);
      }
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/hooks?team=7`,
    heard,
    doubts,
    trust(...secrets) {
      trusted = secrets.map((secret) => new Webhook(secret));
      isAnyEnough = false;
    },
    trustAny(...secrets) {
      trusted = secrets.map((secret) => new Webhook(secret));
      isAnyEnough = true;
    },
    doubt(next) {
      doubt = next;
    },
    answer(next) {
      how = next;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function attempt<T>(work: () => T): { readonly value: T } | { readonly error: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}
