import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { idFromKey, newId } from './ids.ts';

describe('the id of a key', () => {
  it('never changes: a restored database must give a retry the same id', () => {
    expect(idFromKey('alice', '/api/v1/send_usdc', 'k-1')).toMatchInlineSnapshot(
      `"814a5068-9c8f-4f3d-91b6-482eddd2f60f"`,
    );
  });

  it('is SHA-256 of caller, route and key, shaped as a UUID v4', () => {
    const digest = createHash('sha256').update('5:alice2:/x3:k-é'.replace('3:', '4:')).digest('hex');
    const id = idFromKey('alice', '/x', 'k-é');
    expect(id.replaceAll('-', '').slice(0, 12)).toBe(digest.slice(0, 12));
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(newId()).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('does not confuse where one part ends and the next begins', () => {
    const ids = [
      idFromKey('ab', 'c', 'd'),
      idFromKey('a', 'bc', 'd'),
      idFromKey('a', 'b', 'cd'),
      idFromKey('abc', '', 'd'),
    ];
    expect(new Set(ids).size).toBe(4);
  });
});
