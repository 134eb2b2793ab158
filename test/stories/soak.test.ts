import { expect, it } from 'vitest';
import { runSoak } from '../support/soak/runSoak.ts';

/** A slice of `npm run soak`, which runs for minutes. Only Linux has an address for everybody. */
it.skipIf(process.platform !== 'linux')(
  'good requests are answered among broken connections and slow readers',
  async () => {
    const { crashes, failures, good, bad, memory } = await runSoak({ seconds: 12, sampleEverySeconds: 2, share: 0.3 });
    expect([crashes, failures]).toEqual([0, []]);
    for (const what of ['pay a person', 'send to an address', 'read history', 'read the document'])
      expect([what, good.find((one) => one.what === what)?.done]).toEqual([what, expect.any(Number)]);
    for (const kind of ['CONNECT', 'all kinds together', 'reads nothing of a large answer'])
      expect([kind, bad.get(kind)]).toEqual([kind, expect.any(Number)]);
    // Those who read nothing would hold hundreds of megabytes; the process itself needs less than two hundred.
    expect(Math.max(...memory.map(({ rssMb }) => rssMb))).toBeLessThan(500);
  },
);
