/**
 * Stands between a client and one API: checks every request and every answer against the API's document, and loses
 * answers on demand. When an answer is lost, the service has done its work.
 */
import { Agent, createServer, type IncomingMessage, request as open } from 'node:http';
import type { OperationObject, Schema } from '../../../server/src/http/contract/openapi.ts';
import { readDocument } from '../../../server/src/http/contract/readDocument.ts';
import { createJudge } from './createJudge.ts';
import { listen } from './listen.ts';

interface Passed {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly key: string | undefined;
  readonly isLost: boolean;
}

export interface JudgedProxy {
  readonly url: string;
  /** Everything that is not as documented. */
  readonly faults: readonly string[];
  readonly passed: readonly Passed[];
  close(): Promise<void>;
}

export async function serveJudgedProxy(
  name: 'backend' | 'web3',
  target: string,
  isLost: (nth: number, path: string) => boolean = () => false,
): Promise<JudgedProxy> {
  const findRequestFault = createRequestJudge(name);
  const answers = createJudge(readDocument(name));
  const agent = new Agent({ keepAlive: true });
  const faults: string[] = [];
  const passed: Passed[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    const { pathname: path, searchParams: query } = new URL(url, 'http://any');
    const body = await readAll(incoming);
    const heard = await new Promise<IncomingMessage>((resolve, reject) => {
      open(target + url, { method, headers, agent }, resolve)
        .on('error', reject)
        .end(body);
    });
    const text = await readAll(heard);
    const status = heard.statusCode!;
    const said = new Headers(Object.entries(heard.headers).map(([key, value]) => [key, String(value)]));
    const fault =
      method === 'OPTIONS'
        ? undefined
        : (findRequestFault({ method, path, query, headers, body }) ??
          answers.findFault(method, path, { status, headers: said, text }));
    if (fault !== undefined) faults.push(`${method} ${path}, ${status}: ${fault}`);
    const lost = isLost(passed.length, path);
    passed.push({ method, path, status, key: headers['idempotency-key'] as string | undefined, isLost: lost });
    if (lost) incoming.socket.destroy();
    else outgoing.writeHead(status, heard.headers).end(text);
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    faults,
    passed,
    async close() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function readAll(stream: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return text;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Returns why a request does not match the document. */
function createRequestJudge(name: 'backend' | 'web3'): (asked: Asked) => string | undefined {
  const document = readDocument(name);
  const { findSchemaFault } = createJudge(document);
  const operations = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
      operation,
    })),
  );

  function findParameterFault({ parameters = [] }: OperationObject, { query, headers }: Asked): string | undefined {
    const unknown = [...query.keys()].find((key) => !parameters.some((one) => one.in === 'query' && one.name === key));
    if (unknown !== undefined) return `the parameter ${unknown} is not documented`;
    for (const { name: key, in: place, required, schema } of parameters) {
      if (place !== 'query' && place !== 'header') continue;
      const text = place === 'query' ? query.get(key) : (headers[key.toLowerCase()] as string | undefined);
      if (key === 'Idempotency-Key' && text === undefined) return 'the Idempotency-Key is missing';
      if (text === null || text === undefined) {
        if (required) return `the parameter ${key} is missing`;
        continue;
      }
      const fault = findSchemaFault(schema, schema.type === 'integer' ? Number(text) : text);
      if (fault !== undefined) return `${key}: ${fault}`;
    }
    return undefined;
  }

  function findBodyFault({ requestBody }: OperationObject, { headers, body }: Asked): string | undefined {
    if (!requestBody) return body === '' ? undefined : 'a body is not documented';
    const type = headers['content-type'] ?? 'missing';
    const described = requestBody.content[type];
    if (!described) return `the type is ${type}`;
    return findSchemaFault(described.schema as Schema, type === 'text/csv' ? body : JSON.parse(body));
  }

  return (asked) => {
    const found = operations.find(({ method, pattern }) => method === asked.method && pattern.test(asked.path));
    if (!found) return 'no such operation is documented';
    const { operation } = found;
    const security = operation.security as readonly object[] | undefined;
    const needsCredential = security !== undefined && security.length > 0;
    if (needsCredential && !asked.headers.authorization?.startsWith('Bearer ')) return 'the credential is missing';
    return findParameterFault(operation, asked) ?? findBodyFault(operation, asked);
  };
}
