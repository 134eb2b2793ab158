import { Agent, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestTls, Agent as TlsAgent } from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import { createGunzip } from 'node:zlib';

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Servers usually keep idle connections longer, so they do not close one while a request is on its way. */
const IDLE_MS = 4_000;

/**
 * Posts JSON to one URL, and follows no redirects. Not `fetch`, which takes more than twice the processor time per call:
 * a worker follows its chains with many small calls.
 */
export function openPost(url: string, maxBytes: number): (body: string, timeoutMs: number) => Promise<Answer> {
  const place = urlToHttpOptions(new URL(url));
  const isTls = place.protocol === 'https:';
  const agent = new (isTls ? TlsAgent : Agent)({ keepAlive: true, timeout: IDLE_MS });
  const request = isTls ? requestTls : requestPlain;

  return (body, timeoutMs) =>
    new Promise((done, fail) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'accept-encoding': 'gzip',
        accept: 'application/json',
        'user-agent': 'florin',
      };
      const sent = request({ ...place, method: 'POST', agent, headers });
      const giveUp = (error: Error) => {
        clearTimeout(timer);
        fail(error);
        sent.destroy();
      };
      const timer = setTimeout(() => giveUp(new Error(`timeout after ${timeoutMs} ms`)), timeoutMs);
      sent.on('error', giveUp);
      sent.on('response', (response) => {
        readText(response, maxBytes).then((text) => {
          clearTimeout(timer);
          done({ status: response.statusCode ?? 0, text });
        }, giveUp);
      });
      sent.end(body);
    });
}

/** Counts decompressed bytes, so a small answer that would expand is cut off too. */
function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  const body: Readable =
    response.headers['content-encoding']?.toLowerCase() === 'gzip'
      ? pipeline(response, createGunzip(), () => {})
      : response;
  return new Promise((done, fail) => {
    const parts: Buffer[] = [];
    let size = 0;
    body.on('error', fail);
    body.on('end', () => done(Buffer.concat(parts).toString('utf8')));
    body.on('data', (part: Buffer) => {
      size += part.length;
      if (size > maxBytes) body.destroy(new Error(`the answer has more than ${maxBytes} bytes`));
      else parts.push(part);
    });
  });
}
