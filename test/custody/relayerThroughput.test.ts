/** How much a relayer relays, and in which order. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Chain } from '../../server/src/core/ports.ts';
import { settleWallets } from '../../server/src/custody/coins/settleWallets.ts';
import { registerRelayers, watchGas } from '../../server/src/custody/eip3009/relayers.ts';
import { type CustodyWorld, randomAddress, startCustody } from '../support/chain/custody.ts';
import { asAdmin } from '../support/database.ts';

let world: CustodyWorld;
afterEach(() => world.stop());

const sendTo = async (destinations: readonly `0x${string}`[]) => {
  for (const destination of destinations) await world.send({ amount: '1', destination });
};

const countPaid = async (destinations: readonly `0x${string}`[]) => {
  const head = await world.chain.getHead();
  const balances = await world.chain.readBalances(world.usdc.contract, destinations, head);
  for (const balance of balances) expect([0n, 1_000_000n]).toContain(balance);
  return balances.filter((balance) => balance > 0n).length;
};

const several = (count: number) => Array.from({ length: count }, randomAddress);

describe('one relayer', () => {
  it('keeps relaying while nothing is final yet, polls mined transactions rarely, and notices a reorg', async () => {
    world = await startCustody({ callsPerRelayTx: 1 });
    await world.fund({ treasury: '1000' });
    await world.turn('/faults', { finality_blocks: 75 });
    const destinations = several(16);
    await sendTo(destinations);
    for (let block = 0; block < 3; block++) {
      await world.work();
      await world.work();
      await world.mine();
    }
    expect(await countPaid(destinations)).toBe(16);
    expect(await world.db.query(`SELECT FROM carriers WHERE state = 'final'`)).toEqual([]);

    await world.work();
    let receipts = 0;
    const counting: Chain = {
      ...world.chain,
      findReceipt(hash) {
        receipts++;
        return world.chain.findReceipt(hash);
      },
    };
    await world.work({ chain: counting });
    expect(receipts).toBe(0);

    await world.turn('/reorg', { depth: 3, orphans: 'drop' });
    expect(await countPaid(destinations)).toBeLessThan(16);
    for (let block = 0; block < 3; block++) {
      await world.work();
      await world.mine();
    }
    expect(await countPaid(destinations)).toBe(16);
    await world.turn('/faults', { finality_blocks: null });
    await world.mine(4);
    for (let turn = 0; turn < 3; turn++) await world.work();
    expect(await world.db.query(`SELECT FROM carriers WHERE state <> 'final'`)).toEqual([]);
    expect(await world.db.query(`SELECT FROM payments WHERE state <> 'COMPLETE'`)).toEqual([]);
    expect(await world.faults()).toEqual([]);
  });

  it('takes sends before settlements, but not forever', async () => {
    world = await startCustody({ callsPerRelayTx: 2 });
    const people = await world.fund({ treasury: '100', anna: '10', ben: '10', cleo: '0', dora: '0' });
    const settle = async (receiver: string) => {
      await world.payUser(people.anna, receiver, '1');
      await world.payUser(people.ben, receiver, '1');
      await settleWallets(world, world.network, world.usdc);
    };
    const firstPurposes = async () =>
      (
        await world.db.query<{ purpose: string }>(
          `SELECT m.purpose FROM carriers c JOIN carrier_calls l USING (carrier_id) JOIN coin_moves m USING (move_id)
            WHERE c.nonce = (SELECT min(nonce) FROM carriers WHERE state = 'pending') ORDER BY l.position`,
        )
      ).map((row) => row.purpose);
    await settle('cleo');
    await sendTo(several(3));
    await world.work();
    expect(await firstPurposes()).toEqual(['send', 'send']);
    await world.settleDown();

    await settle('dora');
    await asAdmin(
      world.databaseUrl,
      `UPDATE coin_moves SET created_at = created_at - interval '11 minutes' WHERE state = 'open'`,
    );
    await sendTo(several(3));
    await world.work();
    expect(await firstPurposes()).toEqual(['settlement', 'settlement']);
    await world.settleDown();
    expect(await world.faults()).toEqual([]);
  });
});

describe('several relayers', () => {
  it('share the work, each with its own nonces, and a send never leaves before the coins that it needs', async () => {
    world = await startCustody({ callsPerRelayTx: 3, relayers: 2 });
    const { address } = await world.wallets.create({ kind: 'relayer', number: 1 });
    await registerRelayers(world, world.network);
    await world.turn('/faucet', { address, eth: '10' });
    const people = await world.fund({ treasury: '100', anna: '10', ben: '10', cleo: '0' });
    await watchGas(world, world.network);
    for (const one of [people.anna, people.ben]) await world.payUser(one, 'cleo', '5');
    const destinations = several(8);
    await sendTo(destinations);
    // Cleo's own wallet is empty: two settlements bring the coins.
    await world.send({ amount: '9', walletUsername: 'cleo' });
    await world.work();
    const relayTxs = await world.db.query<{ relayer_id: number; count: number }>(
      'SELECT relayer_id, count(*)::int AS count FROM carriers GROUP BY relayer_id ORDER BY relayer_id',
    );
    expect(relayTxs.map((row) => row.count)).toEqual([2, 2]);
    await world.settleDown();
    expect(await countPaid(destinations)).toBe(8);
    const failed = await world.db.query('SELECT FROM authorizations WHERE failures > 0');
    expect(failed).toEqual([]);
    expect(await world.faults()).toEqual([]);
  });
});
