import { expect, it } from 'vitest';
import { runSoak } from '../support/soak/runSoak.ts';

/** A slice of `npm run soak`, which runs for minutes. Only Linux has an address for everybody. */
it.skipIf(process.platform !== 'linux')(
  'good requests are answered among broken connections and slow readers',
  async () => {
    const { crashes, failures, good, bad, memory } = await runSoak({ seconds: 12, sampleEverySeconds: 2 });
    expect([crashes, failures]).toEqual([0, []]);
    expect(good.map(({ what }) => what).sort()).toMatchInlineSnapshot();
    expect(bad.size).toBeGreaterThan(30);
    // Those who read nothing would hold half a gigabyte; the process itself needs less than two hundred megabytes.
    expect(Math.max(...memory.map(({ rssMb }) => rssMb))).toBeLessThan(500);
  },
);
