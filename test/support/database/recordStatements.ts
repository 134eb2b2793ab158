/** A wire to PostgreSQL that writes down every statement that goes over it: what a call really does, from outside. */
import { createHash } from 'node:crypto';
import { proxyDatabase } from './proxyDatabase.ts';

export interface Recorder {
  /** The same database, reached over this wire. */
  readonly url: string;
  /** The statements since the last time, in the order in which they were sent: text, and a hash of the values. */
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

/**
 * The client's half of PostgreSQL's protocol: after a first message without a type come messages of one type byte, a
 * length and a body. `Q` runs a text; `P` gives a text a name, maybe an empty one, and `B` is the run of such a name.
 */
function readFrontend(onStatement: (text: string) => void): (chunk: Buffer) => void {
  const named = new Map<string, string>();
  let rest = Buffer.alloc(0);
  let hasBegun = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const typeBytes = hasBegun ? 1 : 0;
      if (rest.length < typeBytes + 4) return;
      const end = typeBytes + rest.readInt32BE(typeBytes);
      if (rest.length < end) return;
      const type = hasBegun ? String.fromCharCode(rest[0]!) : '';
      const body = rest.subarray(typeBytes + 4, end);
      const words = body.toString('latin1').split('\0');
      rest = rest.subarray(end);
      hasBegun = true;
      if (type === 'Q') onStatement(words[0]!);
      else if (type === 'P') named.set(words[0]!, words[1]!);
      else if (type === 'B') {
        // A portal, the name of its statement, and the values with their formats.
        const values = body.subarray(words[0]!.length + words[1]!.length + 2);
        onStatement(
          `${named.get(words[1]!) ?? '?'} -- ${createHash('sha256').update(values).digest('hex').slice(0, 8)}`,
        );
      }
    }
  };
}
