/** Only in the sandbox: the latest calls with their bodies, for `florin call show`. Production keeps no bodies. */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import type { KeptCall } from '../contract/exchange.ts';

/** Of each of two files: the one that is being written, and the one before it (`.1`). */
const LIMIT_BYTES = 4_000_000;
const BODY_CHARACTERS = 4_000;

interface Calls {
  keep(call: KeptCall): void;
  close(): void;
}

/**
 * One line per call, with the same members as in the log. `scrub` removes credentials. A file that cannot be written
 * never disturbs a call.
 */
export function openCalls(file: string, scrub: (line: string) => string, limitBytes = LIMIT_BYTES): Calls {
  let waiting: string[] = [];
  let output: number | undefined;
  let bytes = 0;

  function open(): number {
    const opened = openSync(file, 'a', 0o600);
    bytes = fstatSync(opened).size;
    return opened;
  }

  function flush(): void {
    const text = waiting.join('');
    waiting = [];
    if (text === '') return;
    try {
      output ??= open();
      if (bytes >= limitBytes) {
        close();
        renameSync(file, `${file}.1`);
        output = open();
      }
      bytes += writeSync(output, text);
    } catch {
      // The disk is full or the folder is gone: calls go on, and are not kept.
    }
  }

  function close(): void {
    if (output !== undefined) closeSync(output);
    output = undefined;
  }

  return {
    keep(call) {
      // Lines of one turn are written together.
      if (waiting.push(`${scrub(renderCall(call))}\n`) === 1) setImmediate(flush);
    },
    close() {
      flush();
      close();
    },
  };
}

function renderCall(call: KeptCall): string {
  const { requestId, api, method, operation, route, status, ms, code, paymentId, keyId, path, idempotencyKey } = call;
  return JSON.stringify({
    time: new Date().toISOString(),
    request_id: requestId,
    api,
    method,
    operation: operation || route,
    status,
    ms: Math.round(ms * 100) / 100,
    code,
    payment_id: paymentId,
    key_id: keyId,
    path,
    idempotency_key: idempotencyKey,
    request: renderBody(call.request),
    answer: renderBody(call.answer),
    msg: 'request',
  });
}

function renderBody(body: string | Uint8Array | undefined): string | undefined {
  if (body === undefined || body.length === 0) return undefined;
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  return text.length > BODY_CHARACTERS ? `${text.slice(0, BODY_CHARACTERS)}… (${text.length} characters)` : text;
}
