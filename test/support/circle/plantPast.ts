/** Transfers that a wallet at the Circle double made long before a test. */
import { randomUUID } from 'node:crypto';
import { stamp, type Transaction } from '../../../sandbox/src/circle/records.ts';
import type { RunningCircleDouble } from '../../../sandbox/src/circle/startCircleDouble.ts';

interface Past {
  /** When the last of them was made; the others a second apart before it. */
  readonly agoMs: number;
}

/** This many transfers like this one, each for a payment of its own. */
export function plantPast(double: RunningCircleDouble, like: Transaction, count: number, { agoMs }: Past): void {
  const at = Date.now() - agoMs;
  double.control.plant(
    Array.from({ length: count }, (_, i) => ({
      ...like,
      id: randomUUID(),
      refId: randomUUID(),
      txHash: `0x${randomUUID().replaceAll('-', '').repeat(2)}`,
      createDate: stamp(new Date(at - 1_000 * i)),
    })),
  );
}
