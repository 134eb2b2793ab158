import type { Seen } from '../contract/exchange.ts';

/**
 * One line per request, linked to the other lines of a payment by `payment_id`. It has the same members as the other
 * log lines. It is built by hand: a payment takes some 80 µs, and a logger with serializers would take 5 of them. No
 * value needs escaping or redaction: names from the documents, numbers, our own ids, and a request id that was checked
 * on arrival.
 */
export function openRequestLines(output: { write(line: string): void }): (seen: Seen) => void {
  const middle = `","pid":${process.pid},"request_id":"`;
  let lastMs = 0;
  let text = '';
  const printTime = (): string => {
    const now = Date.now();
    if (now !== lastMs) {
      lastMs = now;
      text = new Date(now).toISOString();
    }
    return text;
  };
  return ({ requestId, api, method, operation, route, status, code, ms, paymentId, keyId }) => {
    let line = `{"level":"info","time":"${printTime()}${middle}${requestId}","api":"${api}","method":"${method}`;
    line += `","operation":"${operation || route}","status":${status},"ms":${printMs(ms)}`;
    if (code) line += `,"code":"${code}"`;
    if (paymentId) line += `,"payment_id":"${paymentId}"`;
    if (keyId) line += `,"key_id":"${keyId}"`;
    output.write(`${line},"msg":"request"}\n`);
  };
}

/** Two decimals, from integers: V8 prints a fraction slowly. */
function printMs(ms: number): string {
  const hundredths = Math.round(ms * 100);
  const rest = hundredths % 100;
  return `${(hundredths - rest) / 100}.${rest < 10 ? '0' : ''}${rest}`;
}
