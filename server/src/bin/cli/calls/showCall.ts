import { type ErrorCode, errorTable } from '../../../core/errors.ts';
import { listServiceKeys } from '../../../customers/keys/serviceKeys.ts';
import type { Queryable } from '../../../db/database.ts';
import { findCallsFile } from '../../config/config.ts';
import { type Answer, type Fact, verb } from '../../program/command.ts';
import { misused, unknown } from '../../program/faults.ts';
import { renderFields, renderTable, renderTime } from '../../program/render.ts';
import { describeRows, explainCode } from './describeRows.ts';
import { findKeyedCalls } from './keyedCalls.ts';
import { type LoggedCall, readCalls } from './readCalls.ts';

export const show = verb({
  summary: 'Explains a call: what was asked, what was answered, and what the database has about it',
  about: `ID is the request id of an answer (X-Request-Id, request_id), or at least its first eight characters, such as the reference in an
error message of the wallet. A sandbox keeps its latest calls, with their bodies. In production, name the log of florin server
with --log: it has one line per call, without bodies.

With --caller, ID is an Idempotency-Key instead, and the command needs no log: what became of a call with a key is in the
database.`,
  words: ['ID'],
  options: {
    log: { type: 'string', value: 'FILE', summary: 'the log of florin server' },
    caller: { type: 'string', value: 'WHO', summary: 'ID is an Idempotency-Key of this person or service key' },
  },
  reads: true,
  examples: [
    'call show 0b1e7c52-…',
    'call show 0b1e7c52-… --log /var/log/florin/server.log',
    'call show order-1001 --caller alice',
  ],
  async run({ db }, { words: [id = ''], options: { log, caller } }) {
    if (caller !== undefined) return showKeyed(db, id, caller);
    if (!/^[\w.-]{8,64}$/.test(id)) throw misused('ID is a request id, or at least its first eight characters');
    const file = log ?? findCallsFile();
    if (file === undefined) throw misused('name the log of florin server: --log FILE. Only a sandbox keeps calls');
    const calls = await readCalls(file, id);
    if (calls.length === 0) throw unknown(`there is no call ${id} in ${file}`);
    if (new Set(calls.map((one) => one.request_id)).size > 1) return listFound(calls);
    // A client can use a request id again, such as for a retry.
    const shown = await Promise.all(calls.map((call) => showCall(db, call)));
    return { text: shown.map(({ text }) => text).join('\n'), json: shown.map(({ json }) => json) };
  },
});

async function showKeyed(db: Queryable, key: string, caller: string): Promise<Answer> {
  const found = await findKeyedCalls(db, caller, key);
  if (found.length === 0)
    throw unknown(`${caller} has made no call with the key ${key}, or it changed nothing and is free to be made again`);
  const rows = found.map(({ operation, id, outcome }) => [operation, id, outcome]);
  return { text: renderTable([['operation', 'id', 'outcome'], ...rows]), json: found };
}

function listFound(calls: readonly LoggedCall[]): Answer {
  const rows = calls.map((one) => [one.request_id, one.operation, String(one.status), one.code ?? '']);
  return {
    text: `These are ${calls.length} calls:\n\n${renderTable([['request id', 'operation', 'status', 'code'], ...rows])}`,
    json: calls,
  };
}

async function showCall(db: Queryable, call: LoggedCall): Promise<{ readonly text: string; readonly json: object }> {
  const { payment_id: paymentId, key_id: keyId, status, code } = call;
  const key = keyId && (await listServiceKeys(db)).find((one) => one.keyId === keyId);
  const rows = paymentId === undefined ? undefined : await describeRows(db, [paymentId]);
  const outcome = paymentId && (rows?.get(paymentId) ?? 'the database has no row of it');
  const text = renderFields([
    ['call', call.request_id],
    ['when', `${renderTime(new Date(call.time))}, ${call.ms} ms`],
    ['operation', `${call.operation} of the ${API_NAMES[call.api] ?? call.api} API`],
    ['asked', call.path && `${call.method} ${call.path}`],
    ['answer', `${status}${code ? ` ${explainCode(code)}` : ''}`],
    ...adviceOf(code),
    ['key', key ? `service key ${key.name} ${keyId}` : keyId],
    ['Idempotency-Key', call.idempotency_key],
    ['payment', paymentId && `${paymentId}: ${outcome}`],
    ['more', paymentId && `florin payment show ${paymentId}`],
    ['request', call.request],
    ['said', call.answer],
  ]);
  return { text, json: { ...call, outcome: outcome ?? null } };
}

const API_NAMES: Readonly<Record<string, string>> = { web3: 'Web3', backend: 'Backend', wallet: "wallet's" };

function adviceOf(code: string | undefined): Fact[] {
  const row = code !== undefined && Object.hasOwn(errorTable, code) ? errorTable[code as ErrorCode] : undefined;
  if (!row) return [];
  const retry = row.retryable
    ? 'the same call can succeed later, with the same Idempotency-Key'
    : 'the same call is refused again';
  return [
    ['what to do', row.remedy],
    ['a retry', retry],
  ];
}
