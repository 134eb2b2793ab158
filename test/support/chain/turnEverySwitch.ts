/** What the testing guide does to the home blockchain of a sandbox, and what must be the same after a restart. */
import pg from 'pg';
import { expect } from 'vitest';
import type { SandboxState } from '../../../sandbox/src/startSandbox.ts';
import { eventually } from '../eventually.ts';
import { HOME } from '../values.ts';

const ONE = '0x000000000000000000000000000000000000bEEF';

/** The blocks after each switch are its effect. The reorg stays above the final block: a deeper one must pause sends. */
const listSwitches = (relayer: string): readonly (readonly [path: string, body: object])[] => [
  ['/faucet', { address: ONE, usdc: '25', eth: '1' }],
  ['/mine', { advance_seconds: 90 }],
  ['/drain', { address: ONE }],
  ['/drain', { address: relayer }],
  ['/mine', {}],
  ['/token', { blacklist: ONE }],
  ['/price', { pair: 'ETH/USD', price: '1234.5' }],
  ['/mine', {}],
  ['/reorg', { depth: 2, orphans: 'return' }],
  ['/token', { paused: true }],
  ['/mine', {}],
  ['/token', { paused: false }],
  ['/faults', { base_fee_wei: '70000000000' }],
  ['/mine', { blocks: 2 }],
  ['/faults', { base_fee_wei: null, block_gas_limit: 20_000_000 }],
  ['/mine', { blocks: 4 }],
];

/** These change no block. They are on when the sandbox is killed. */
const FAULTS: readonly (readonly [path: string, body: object])[] = [
  ['/mining', { running: false }],
  ['/faults', { finality_blocks: 2, broadcast: { kind: 'lose_answer' }, rpc: { behind_blocks: 2, delay_ms: 5 } }],
  ['/faults', { rpc: { down: true } }],
];

/** Returns when the worker has read the blocks. `expectSame` is for the restarted sandbox. */
export async function turnEverySwitch({ chains, database_url }: SandboxState) {
  const { rpc_url } = chains.find(({ blockchain }) => blockchain === HOME)!;
  const turn = async (path: string, body: object) => {
    const answer = await fetch(rpc_url + path, { method: 'POST', body: JSON.stringify(body) });
    expect([path, body, answer.status]).toEqual([path, body, 200]);
    return (await answer.json()) as { head: number; result: unknown };
  };
  const readBlock = (height: number) =>
    turn('/', { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: [`0x${height.toString(16)}`, false] });
  const query = async (sql: string, parameters: readonly string[] = []): Promise<Record<string, string>[]> => {
    const client = new pg.Client({ connectionString: database_url });
    await client.connect();
    return client
      .query(sql, [...parameters])
      .then(({ rows }) => rows)
      .finally(() => client.end());
  };
  const waitUntilRead = (height: number) =>
    eventually(async () => {
      const [cursor] = await query(
        'SELECT block_number FROM chain_cursors JOIN networks USING (network_id) WHERE blockchain = $1',
        [HOME],
      );
      expect(Number(cursor!.block_number)).toBeGreaterThanOrEqual(height);
    });

  const [relayer] = await query('SELECT address FROM relayers JOIN networks USING (network_id) WHERE blockchain = $1', [
    HOME,
  ]);
  for (const [path, body] of listSwitches(relayer!.address!)) await turn(path, body);
  const { head } = await turn('/mine', {});
  await waitUntilRead(head);
  // Its hash covers every earlier block.
  const block = await readBlock(head);
  for (const [path, body] of FAULTS) await turn(path, body);

  return {
    async expectSame() {
      expect(await readBlock(head)).toEqual(block);
      // The worker compares its last block before it reads further. The pause for a relayer without gas has ended.
      const { head: now } = await turn('/mine', {});
      await waitUntilRead(now);
      await eventually(async () => expect(await query('SELECT scope, cause, reason FROM pauses')).toEqual([]));
    },
  };
}
