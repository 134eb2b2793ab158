import { expect } from 'vitest';
import type { Hex } from '../../../server/src/core/ports.ts';
import type { CustodyWorld } from './custody.ts';

/** Checks that the hold has exactly one end, which matches the chain, and that nothing is left over. */
export async function expectOneEnd(
  world: CustodyWorld,
  id: string,
  destination: Hex,
  state: 'COMPLETE' | 'CANCELLED' | 'FAILED',
): Promise<void> {
  expect((await world.get(id)).state).toBe(state);
  const isPaid = state === 'COMPLETE';
  expect((await world.listTransfers(destination)).length).toBe(isPaid ? 1 : 0);
  const ends = await world.db.query('SELECT kind FROM transfers WHERE hold_id = $1', [id]);
  expect(ends).toEqual([{ kind: isPaid ? 'post' : 'release' }]);
  expect(await world.faults()).toEqual([]);
  expect(await world.db.query('SELECT FROM pauses')).toEqual([]);
  expect(await world.db.query('SELECT FROM held_logs')).toEqual([]);
}
