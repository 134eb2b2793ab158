import { expect, it } from 'vitest';
import { findGrowth } from '../support/soak/findGrowth.ts';
import { runSoak } from '../support/soak/runSoak.ts';

/** A slice of `npm run soak`, which runs for minutes. Only Linux has an address for each client. */
it.skipIf(process.platform !== 'linux')(
  'good requests are answered among broken connections and slow readers',
  async () => {
    const { crashes, failures, good, bad, memory } = await runSoak({ seconds: 12, sampleEverySeconds: 2, share: 0.3 });
    expect([crashes, failures]).toEqual([0, []]);
    for (const what of ['pay a person', 'send to an address', 'read history', 'read the document'])
      expect([what, good.find((one) => one.what === what)?.done]).toEqual([what, expect.any(Number)]);
    for (const kind of ['CONNECT', 'all kinds together', 'reads nothing of a large answer'])
      expect([kind, bad.get(kind)]).toEqual([kind, expect.any(Number)]);
    // Clients that read nothing would hold hundreds of megabytes; the process itself needs less than two hundred.
    expect(Math.max(...memory.map(({ rssMb }) => rssMb))).toBeLessThan(500);
  },
);

it.each([
  ['flat', Array(40).fill(180), undefined],
  ['a heap that breathes', Array.from({ length: 40 }, (_, i) => 160 + (i % 5) * 15), undefined],
  ['warming up', Array.from({ length: 40 }, (_, i) => (i < 8 ? 80 + i * 12 : 180)), undefined],
  ['a leak', Array.from({ length: 40 }, (_, i) => 150 + i * 5), /grows: 2\d\d MB .* 3\d\d MB/],
  ['a late leak', Array.from({ length: 40 }, (_, i) => (i < 30 ? 150 : 150 + (i - 29) * 20)), /grows/],
])('memory of a soak: %s', (_, curve, wanted) => {
  const found = findGrowth(curve.map((rssMb) => ({ rssMb })));
  if (wanted) expect(found).toMatch(wanted);
  else expect(found).toBeUndefined();
});
