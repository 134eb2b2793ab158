import type { IncomingMessage } from 'node:http';

/** What a double is sent; undefined when it is longer than that. */
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
