import { describe, expect, it, vi } from 'vitest';
import { createLogger, scrub } from './logger.ts';

function logged(write: (log: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = [];
  write(createLogger('info', { write: (line) => void lines.push(line) }));
  return lines.join('');
}

describe('the log', () => {
  it.each([
    ['eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl'],
    ['fla_k_Fj9OliCfOlUC2vu9X8DyMHOkr4geyJqb6yHoVuwxk'],
    ['flr_k_Fj9OliCfOlUC2vu9X8DyMHOkr4geyJqb6yHoVuwxk'],
    ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfgXMOQM/s='],
    ['LIVE_API_KEY:id:hunter2hunter2'],
  ])('hides %s', (secret) => {
    const line = logged((log) => log.error({ err: new Error(`refused ${secret} by the issuer`) }, secret));
    expect(line).not.toContain(secret);
    expect(line).toContain('by the issuer');
  });

  it('hides passwords in headers and database addresses', () => {
    expect(scrub('Authorization: Bearer  abc.def')).toBe('Authorization: Bearer  [hidden]');
    expect(scrub('postgres://florin:p@ss@db.internal/florin')).toBe('postgres://[hidden]db.internal/florin');
  });

  it('turns email addresses into a stable hash', () => {
    const [first, second, other] = ['bob@example.com', 'Bob@Example.com', 'bob@localhost'].map(scrub);
    expect(first).toMatch(/^email:[0-9a-f]{12}$/);
    expect(second).toBe(first);
    expect(other).toMatch(/^email:[0-9a-f]{12}$/);
    expect(scrub('Ünï@b.co is here')).toMatch(/^email:[0-9a-f]{12} is here$/);
    expect(scrub('at node_modules/@scalar/types/index.js')).toBe('at node_modules/@scalar/types/index.js');
  });

  it('keeps name, message, code and stack of an error and its causes, and no other field', () => {
    const cause = Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED', password: 'hunter2' });
    const line = logged((log) => log.warn({ err: new Error('no database', { cause }) }, 'trying again'));
    expect(JSON.parse(line)).toMatchObject({
      level: 'warn',
      msg: 'trying again',
      err: { message: 'no database', cause: { message: 'connection refused', code: 'ECONNREFUSED' } },
    });
    expect(line).not.toContain('hunter2');
  });

  it('is not blocked by a maliciously slow line: every pattern repeats a bounded number of times', () => {
    const replacing = vi.spyOn(RegExp.prototype, Symbol.replace);
    try {
      scrub('bob@example.com');
      const patterns = (replacing.mock.contexts as RegExp[]).map(({ source }) => source);
      expect(patterns.length).toBeGreaterThan(7);
      expect(patterns.flatMap((source) => [...listRepeats(source)].filter(([, most]) => !(most <= 16_000)))).toEqual(
        [],
      );
    } finally {
      replacing.mockRestore();
    }
  });

  it.each([
    ['@', '@'.padEnd(50_000, 'a')],
    ['token prefixes', 'eyJ-'.repeat(12_000)],
    ['address prefixes', 'postgres://'.repeat(5_000)],
  ])('hides a secret that follows a long line of %s, and keeps that line', (_, text) => {
    expect(scrub(`${text} Bearer abc.def`)).toBe(`${text} Bearer [hidden]`);
  });
});

/** Each quantifier of a pattern, with how often it repeats at most. */
function* listRepeats(source: string): Generator<[quantifier: string, most: number]> {
  const bare = source.replaceAll(/\\./g, 'x').replaceAll(/\[[^\]]*\]/g, 'x');
  for (const [quantifier, , upTo] of bare.matchAll(/[*+]|\{(\d+)(?:,(\d*))?\}/g)) {
    const exactly = /^\{(\d+)\}$/.exec(quantifier)?.[1];
    yield [`${quantifier} in ${source}`, exactly ? Number(exactly) : upTo ? Number(upTo) : Number.POSITIVE_INFINITY];
  }
}
