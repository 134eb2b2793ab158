/** Transfers that a wallet at the Circle double made long before a test. */
import { randomUUID } from 'node:crypto';
import { stamp, type Transaction } from '../../../sandbox/src/circle/records.ts';
import type { RunningCircleDouble } from '../../../sandbox/src/circle/startCircleDouble.ts';

interface Past {
  /** The age of the newest of them. Each of the others is one second older than the next. */
  readonly agoMs: number;
}

/** Plants `count` copies of this transfer, each for another payment. */
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
