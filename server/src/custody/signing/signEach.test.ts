import { expect, it } from 'vitest';
import type { Priority } from './rateLimiter.ts';
import { signEach } from './signEach.ts';
import type { SigningApp } from './signingApp.ts';

const app = { keyrings: { away: { perSecond: 10 } } } as unknown as SigningApp;
const turns = { away: { take: async () => true } };

it('leaves slots at the provider for urgent moves, and begins with those', async () => {
  const items = [
    ...Array.from({ length: 20 }, (_, i) => ({ name: `settlement ${i}`, priority: 'yielding' as Priority })),
    ...Array.from({ length: 4 }, (_, i) => ({ name: `send ${i}`, priority: 'first' as Priority })),
  ];
  const begun: string[] = [];
  let [settling, most] = [0, 0];
  const done = await signEach(app, turns, {
    items,
    providerOf: () => 'away',
    priorityOf: ({ priority }) => priority,
    checkRules: async () => undefined,
    async sign({ name, priority }) {
      begun.push(name);
      if (priority === 'yielding') most = Math.max(most, ++settling);
      await new Promise((next) => setImmediate(next));
      if (priority === 'yielding') settling--;
      return { isSigned: true };
    },
  });
  expect(done).toHaveLength(24);
  expect(begun.slice(0, 4).every((name) => name.startsWith('send'))).toBe(true);
  expect(most).toBeLessThanOrEqual(6);
});
