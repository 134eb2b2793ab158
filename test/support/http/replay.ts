/**
 * Replays the recorded validation corpus against running servers over raw sockets, so that no client library rewrites a
 * path, a header or a body. Answers are compared by the recorder's own rule, with its two allowances: a case marked lax
 * may be refused with 422 (we are strict about `amount`), and a quirk of the reference need not be imitated.
 */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { isDeepStrictEqual } from 'node:util';

interface CorpusCase {
  readonly id: string;
  readonly category: string;
  readonly title: string;
  readonly api: 'web3' | 'backend';
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body_text: string | null;
  readonly body_b64?: string;
  readonly status: number;
  readonly response: unknown;
  readonly response_text?: string;
  readonly response_headers?: { readonly allow?: string; readonly location?: string };
  readonly accepted: boolean;
  readonly lax?: boolean;
  readonly lax_reason?: string;
  readonly strict_status?: number;
  readonly strict_response?: unknown;
  readonly quirk?: string;
}

interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

interface Replay {
  readonly cases: number;
  /** The number of answers that are exactly as recorded, and of those that pass by an allowance. */
  readonly exact: number;
  readonly byStrictness: number;
  readonly byQuirk: number;
  readonly failures: readonly { readonly id: string; readonly title: string; readonly why: string }[];
}

interface ReplayOptions {
  readonly web3Url: string;
  readonly backendUrl: string;
  /** Only cases whose id contains this. */
  readonly only?: string;
  /** Every answer, for checks beyond the corpus. */
  readonly inspect?: (recorded: CorpusCase, answer: RawAnswer) => void;
}

const CONCURRENCY = 8;

export async function replayCorpus({ web3Url, backendUrl, only = '', inspect }: ReplayOptions): Promise<Replay> {
  const cases = readCorpus().filter((recorded) => recorded.id.includes(only));
  const verdicts = new Map<CorpusCase, Verdict>();
  const waiting = [...cases];
  async function work(): Promise<void> {
    for (let recorded = waiting.shift(); recorded; recorded = waiting.shift()) {
      const url = new URL(recorded.api === 'web3' ? web3Url : backendUrl);
      try {
        const answer = await exchangeRaw(url, encodeCase(recorded, url.host));
        inspect?.(recorded, answer);
        verdicts.set(recorded, judge(recorded, answer));
      } catch (error) {
        verdicts.set(recorded, { why: String(error) });
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  const count = (by: string) => [...verdicts.values()].filter((verdict) => verdict.by === by).length;
  return {
    cases: cases.length,
    exact: count('exact'),
    byStrictness: count('strictness'),
    byQuirk: count('quirk'),
    failures: cases.flatMap((recorded) => {
      const why = verdicts.get(recorded)?.why;
      return why === undefined ? [] : [{ id: recorded.id, title: recorded.title, why }];
    }),
  };
}

export function readCorpus(): CorpusCase[] {
  const file = new URL('../../corpus/validation-corpus.jsonl', import.meta.url);
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as CorpusCase);
}

function encodeCase(recorded: CorpusCase, host: string): Buffer {
  const { body_b64: base64, body_text: text } = recorded;
  const body = base64 !== undefined ? Buffer.from(base64, 'base64') : text === null ? undefined : Buffer.from(text);
  const chunked = Object.keys(recorded.headers).some((name) => name.toLowerCase() === 'transfer-encoding');
  const lines = [`${recorded.method} ${recorded.path} HTTP/1.1`, `Host: ${host}`];
  for (const [name, value] of Object.entries(recorded.headers)) lines.push(`${name}: ${value}`);
  if (body && !chunked) lines.push(`Content-Length: ${body.length}`);
  const head = Buffer.from(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`, 'latin1');
  if (!body) return head;
  if (!chunked) return Buffer.concat([head, body]);
  const half = body.length >> 1;
  const chunks = [body.subarray(0, half), body.subarray(half)].filter((part) => part.length > 0);
  const frames = chunks.flatMap((part) => [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
  return Buffer.concat([head, ...frames, Buffer.from('0\r\n\r\n')]);
}

/** Writes bytes to a socket and reads one whole answer; the server must close, or send the length. */
export function exchangeRaw(url: URL, request: Buffer | string, timeoutMs = 60_000): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname);
    const chunks: Buffer[] = [];
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('no answer in time')));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error) => (chunks.length > 0 ? undefined : reject(error)));
    socket.on('close', () => {
      try {
        resolve(parseAnswer(Buffer.concat(chunks)));
      } catch (error) {
        reject(error);
      }
    });
    socket.write(request);
  });
}

function parseAnswer(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf('\r\n\r\n');
  const [first = '', ...lines] = bytes.subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3})/.exec(first)?.[1];
  if (status === undefined) throw new Error(`not an HTTP answer: ${JSON.stringify(first)}`);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { status: Number(status), headers, text: bytes.subarray(end + 4).toString('utf8') };
}

type Verdict = { readonly why: string; readonly by?: never } | { readonly why?: never; readonly by: string };

function judge(recorded: CorpusCase, answer: RawAnswer): Verdict {
  const json = findJson(answer.text);
  const why = recorded.accepted ? whyNotAccepted(answer, json) : whyNotAsRecorded(recorded, answer, json);
  if (why === undefined) return { by: 'exact' };
  const strict = { ...recorded, status: recorded.strict_status ?? 0, response: recorded.strict_response ?? null };
  if (recorded.strict_status !== undefined && whyNotAsRecorded(strict, answer, json) === undefined) {
    return { by: 'strictness' };
  }
  if (recorded.lax && answer.status === 422 && isValidation(json)) return { by: 'strictness' };
  if (recorded.lax_reason === 'json-encoding' && answer.status === 400 && json !== undefined)
    return { by: 'strictness' };
  if (recorded.quirk && Math.floor(answer.status / 100) % 2 === 0) return { by: 'quirk' };
  return { why };
}

function findJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Item {
  readonly loc: unknown[];
  readonly msg: string;
  readonly type: string;
}

function isValidation(json: unknown): json is { detail: Item[] } {
  const detail = (json as { detail?: unknown } | null | undefined)?.detail;
  const isItem = (item: Item) =>
    Array.isArray(item.loc) && typeof item.msg === 'string' && typeof item.type === 'string';
  return Array.isArray(detail) && detail.length > 0 && detail.every(isItem);
}

const NOT_ACCEPTED = [301, 302, 303, 307, 308, 405, 411, 413, 414, 415, 431];

/** A valid request may be refused by a business rule, but not by validation, routing or reading. */
function whyNotAccepted({ status }: RawAnswer, json: unknown): string | undefined {
  const detail = (json as { detail?: unknown } | undefined)?.detail;
  if (status >= 500 || NOT_ACCEPTED.includes(status)) return `status ${status} for a request that must be accepted`;
  if (status === 422 && isValidation(json)) return 'refused as invalid, must be accepted';
  if (status === 400 && (json === undefined || detail === 'There was an error parsing the body')) return 'not read';
  if (status === 404 && (json === undefined || detail === 'Not Found')) return 'no such route';
  return undefined;
}

function whyNotAsRecorded(recorded: CorpusCase, answer: RawAnswer, json: unknown): string | undefined {
  if (answer.status !== recorded.status) return `status ${answer.status}, expected ${recorded.status}`;
  const { allow, location } = recorded.response_headers ?? {};
  if (allow !== undefined && !isDeepStrictEqual(methodsOf(answer.headers.allow), methodsOf(allow))) {
    return `Allow is ${answer.headers.allow}, expected ${allow}`;
  }
  if (location !== undefined && answer.headers.location?.replace(/^[a-z]+:\/\/[^/]+/i, '') !== location) {
    return `Location is ${answer.headers.location}, expected ${location}`;
  }
  if (recorded.method === 'HEAD') return answer.text === '' ? undefined : 'HEAD answer has a body';
  if (recorded.response === null) return answer.text === (recorded.response_text ?? '') ? undefined : 'text differs';
  const [expected, got] = [comparable(recorded, recorded.response), comparable(recorded, json)];
  return isDeepStrictEqual(got, expected) ? undefined : `${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`;
}

const methodsOf = (allow = ''): string[] =>
  allow
    .split(',')
    .map((method) => method.trim())
    .sort();

/** Backend items are compared by loc, msg and type alone; -0 and 0 are one number. */
function comparable({ api }: CorpusCase, json: unknown): unknown {
  const reduced =
    api === 'backend' && isValidation(json)
      ? { detail: json.detail.map(({ loc, msg, type }) => ({ loc, msg, type })) }
      : json;
  return JSON.parse(JSON.stringify(reduced ?? null), (_, value) => (value === 0 ? 0 : value));
}
