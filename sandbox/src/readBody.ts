import type { IncomingMessage } from 'node:http';

/** The body of a request to a double; undefined if it is too long. */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > limitBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
