import { describe, expect, it } from 'vitest';
import { type ClientCode, type ErrorCode, FlorinError, type FlorinErrorParts } from './FlorinError.ts';
import { readError } from './readError.ts';
import { choosePause, RETRIES } from './retry.ts';

const fail = (code: ErrorCode | ClientCode, status: number, more: Partial<FlorinErrorParts> = {}) =>
  new FlorinError({ code, status, title: code, ...more });
const pause = (
  error: FlorinError,
  { attempt = 1, elapsedMs = 0, repeatable = true, random = 0.5, policy = RETRIES } = {},
) => choosePause({ error, attempt, elapsedMs, repeatable }, policy, () => random);

describe('a call is repeated', () => {
  it.each([
    ['connection.lost', 0],
    ['connection.timeout', 0],
    ['idempotency.in_progress', 409],
    ['wallet.pending', 409],
    ['request.timeout', 408],
    ['rate.limited', 429],
    ['internal.error', 500],
    ['answer.unexpected', 502],
    ['service.unavailable', 503],
    ['service.overloaded', 503],
    ['answer.unexpected', 504],
  ] as const)('after %s (%i)', (code, status) => expect(pause(fail(code, status))).toBeGreaterThan(0));

  it.each([
    ['balance.insufficient', 409],
    ['username.cooldown', 409],
    ['user.paused', 403],
    ['idempotency.mismatch', 422],
    ['request.invalid', 422],
    ['request.too_large', 413],
    ['auth.invalid', 401],
    ['transaction.unknown', 404],
    ['call.aborted', 0],
    ['answer.unreadable', 200],
  ] as const)('but not after %s (%i)', (code, status) => expect(pause(fail(code, status))).toBeUndefined());

  it('but not when it may have been carried out and must not be repeated', () => {
    const lost = fail('connection.lost', 0, { outcomeUnknown: true });
    expect(pause(lost, { repeatable: false })).toBeUndefined();
    expect(pause(fail('rate.limited', 429), { repeatable: false })).toBeGreaterThan(0);
  });
});

describe('the pause', () => {
  const lost = fail('connection.lost', 0);

  it('doubles, up to a bound, and is randomized', () => {
    const at = (attempt: number, random: number) => pause(lost, { attempt, random });
    expect([1, 2, 3].map((attempt) => at(attempt, 0))).toEqual([150, 300, 600]);
    expect([1, 2, 3].map((attempt) => at(attempt, 1))).toEqual([300, 600, 1200]);
    expect(at(7, 1)).toBe(RETRIES.longestPauseMs);
  });

  it('is never shorter than Retry-After', () => {
    for (const random of [0, 0.3, 1]) {
      const limited = fail('rate.limited', 429, { retryAfterSeconds: 7 });
      expect(pause(limited, { random })).toBeGreaterThanOrEqual(7000);
    }
  });

  it('ends with the attempts, and with the time', () => {
    expect(pause(lost, { attempt: RETRIES.attempts })).toBeUndefined();
    expect(pause(lost, { elapsedMs: RETRIES.totalMs })).toBeUndefined();
    expect(pause(fail('service.paused', 503, { retryAfterSeconds: 3600 }))).toBeUndefined();
  });
});

describe('what an answer means', () => {
  const problem = (code: ErrorCode, status: number, headers: Record<string, string> = {}, doubt = false) =>
    readError(
      {
        status,
        headers: new Headers({ 'content-type': 'application/problem+json', 'x-request-id': 'r1', ...headers }),
        text: JSON.stringify({ code, status, title: 'T', detail: 'D', retryable: true, available: '1.5' }),
      },
      { changes: true, doubt, idempotencyKey: 'k', requestId: 'ours' },
    );

  it('has the code and all members of the answer', () => {
    const error = problem('balance.insufficient', 409, { 'retry-after': '3' });
    expect(error).toMatchObject({
      code: 'balance.insufficient',
      status: 409,
      title: 'T',
      detail: 'D',
      requestId: 'r1',
    });
    expect(error).toMatchObject({ retryAfterSeconds: 3, idempotencyKey: 'k', outcomeUnknown: false, retryable: true });
    expect(error.problem?.available).toBe('1.5');
    expect(error.message).toBe('balance.insufficient: D');
  });

  it.each([
    ['internal.error', 500, true],
    ['service.unavailable', 503, true],
    ['idempotency.in_progress', 409, true],
    ['service.paused', 503, false],
    ['service.overloaded', 503, false],
    ['rate.limited', 429, false],
    ['auth.invalid', 401, false],
  ] as const)('%s (%i): whether it may have been carried out: %s', (code, status, unknown) => {
    expect(problem(code, status).outcomeUnknown).toBe(unknown);
  });

  it.each([
    ['balance.insufficient', 409, false],
    ['username.unknown', 404, false],
    ['auth.invalid', 401, true],
    ['rate.limited', 429, true],
    ['service.paused', 503, true],
    ['user.paused', 403, true],
    ['request.too_large', 413, false],
    ['request.host', 421, true],
  ] as const)('%s (%i) after an unanswered attempt: still unknown: %s', (code, status, unknown) => {
    expect(problem(code, status, {}, true).outcomeUnknown).toBe(unknown);
  });

  it('reports what is wrong with a request', () => {
    const text = '{"detail":[{"loc":["body","amount"],"msg":"Input should be greater than 0","type":"greater_than"}]}';
    const headers = new Headers({ 'content-type': 'application/json' });
    const asked = { changes: true, doubt: false, idempotencyKey: undefined, requestId: 'ours' };
    const error = readError({ status: 422, headers, text }, asked);
    expect(error).toMatchObject({ code: 'request.invalid', requestId: 'ours', outcomeUnknown: false });
    expect(error.detail).toBe('body.amount: Input should be greater than 0');
    expect(error.fields).toHaveLength(1);
  });

  it('is unknown when a proxy answers instead of the service', () => {
    const headers = new Headers({ 'content-type': 'text/html' });
    const asked = { changes: true, doubt: false, idempotencyKey: 'k', requestId: 'ours' };
    const error = readError({ status: 502, headers, text: '<h1>Bad gateway</h1>' }, asked);
    expect(error).toMatchObject({ code: 'answer.unexpected', status: 502, outcomeUnknown: true, problem: undefined });
  });
});
