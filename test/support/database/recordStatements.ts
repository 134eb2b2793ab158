/** A connection to PostgreSQL that records every statement, so that a call is observed from outside. */
import { createHash } from 'node:crypto';
import { proxyDatabase } from './proxyDatabase.ts';
import { readMessages } from './readMessages.ts';

export interface Recorder {
  /** The same database, reached over this connection. */
  readonly url: string;
  /** The statements since the last call, in the order in which they were sent: text, and a hash of the values. */
  take(): string[];
  remove(): Promise<void>;
}

export async function recordStatements(databaseUrl: string): Promise<Recorder> {
  let statements: string[] = [];
  const { url, remove } = await proxyDatabase(databaseUrl, (near, far) => {
    near.on(
      'data',
      readFrontend((text) => statements.push(text.replace(/\s+/g, ' ').trim())),
    );
    near.pipe(far).pipe(near);
  });
  return {
    url,
    take() {
      const taken = statements;
      statements = [];
      return taken;
    },
    remove,
  };
}

/** Leases of rate limits and statements of new connections come at any time, and do not depend on the call. */
export const isNoise = (statement: string) => /rate_windows|^SET |^SELECT 1$/.test(statement);

/**
 * The answer to a call, and its statements. A server also runs statements of its own (`/readyz` asks every dependency
 * from time to time), so the call is made three times: a statement belongs to the call if it comes with each of them.
 */
export async function recordCall<Answer>(
  recorder: Recorder,
  call: () => Promise<Answer>,
  normalize = (statement: string) => statement,
): Promise<{ answer: Answer; statements: string[] }> {
  const turn = async () => {
    recorder.take();
    const answer = await call();
    const statements = recorder.take().filter((one) => !isNoise(one));
    return { answer, statements: statements.map(normalize) };
  };
  const [first, second, { answer, statements }] = [await turn(), await turn(), await turn()];
  const isEverywhere = (one: string) => first.statements.includes(one) && second.statements.includes(one);
  return { answer, statements: statements.filter(isEverywhere) };
}

/** `Q` runs a text; `P` prepares a text under a name, which may be empty, and `B` binds that name. */
function readFrontend(onStatement: (text: string) => void): (chunk: Buffer) => void {
  const named = new Map<string, string>();
  return readMessages((type, message) => {
    const body = message.subarray(5);
    const words = body.toString('latin1').split('\0');
    if (type === 'Q') onStatement(words[0]!);
    else if (type === 'P') named.set(words[0]!, words[1]!);
    else if (type === 'B') {
      // A portal, the name of its statement, and the values with their formats.
      const values = body.subarray(words[0]!.length + words[1]!.length + 2);
      onStatement(`${named.get(words[1]!) ?? '?'} -- ${createHash('sha256').update(values).digest('hex').slice(0, 8)}`);
    }
  }, false);
}
