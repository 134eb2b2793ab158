import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** A line of the log about a request. Those of the sandbox's file have the members from `path` on too. */
export interface LoggedCall {
  readonly time: string;
  readonly request_id: string;
  readonly api: string;
  readonly method: string;
  readonly operation: string;
  readonly status: number;
  readonly ms: number;
  readonly code?: string;
  readonly payment_id?: string;
  readonly key_id?: string;
  readonly path?: string;
  readonly idempotency_key?: string;
  readonly request?: string;
  readonly answer?: string;
}

/** The calls whose request id begins like this, oldest first. The older half of a bounded file is `FILE.1`. */
export async function readCalls(file: string, idStart: string): Promise<LoggedCall[]> {
  const found: LoggedCall[] = [];
  for (const part of [`${file}.1`, file].filter((one) => existsSync(one))) {
    const lines = createInterface({ input: createReadStream(part), crlfDelay: Number.POSITIVE_INFINITY });
    for await (const line of lines) {
      const call = line.includes(`"request_id":"${idStart}`) ? parseCall(line) : undefined;
      if (call?.request_id.startsWith(idStart)) found.push(call);
    }
  }
  return found;
}

/** Other lines also have request ids, and the last line may be half written. */
function parseCall(line: string): LoggedCall | undefined {
  try {
    const { msg, ...call } = JSON.parse(line.slice(line.indexOf('{'))) as LoggedCall & { readonly msg?: string };
    return msg === 'request' ? call : undefined;
  } catch {
    return undefined;
  }
}
