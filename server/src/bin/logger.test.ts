import { describe, expect, it } from 'vitest';
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

  it('turns e-mail addresses into a hash that matches itself', () => {
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

  it('is not blocked by a line that is made to be slow', () => {
    for (const text of [`@${'a'.repeat(50_000)}`, 'eyJ-'.repeat(12_000), 'postgres://'.repeat(5_000)]) scrub(text);
  });
});
