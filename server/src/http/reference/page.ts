import type { IncomingMessage } from 'node:http';

export interface Page {
  readonly contentType: string;
  readonly body: string | Buffer;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
}

export type FindPage = (
  params: Readonly<Record<string, string>>,
  request: IncomingMessage,
) => Page | undefined | Promise<Page | undefined>;
