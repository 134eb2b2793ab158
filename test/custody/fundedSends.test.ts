/** Sends whose coins come from other wallets just in time. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Signer } from '../../server/src/core/signer.ts';
import { MAX_FAILURES } from '../../server/src/custody/eip3009/signAuthorizations.ts';
import { startPayments } from '../../server/src/payments/sends/startPayments.ts';
import { type CustodyWorld, randomAddress, startCustody } from '../support/chain/custody.ts';
import { asAdmin } from '../support/database.ts';

let world: CustodyWorld;
beforeAll(async () => {
  world = await startCustody();
});
afterAll(() => world.stop());

/** A signer that signs only these moves. */
const signOnly = (...moves: readonly string[]): Signer => {
  const { signer } = world;
  return {
    ...signer,
    signAuthorizations: (ids, validBefore) =>
      signer.signAuthorizations(
        ids.filter((id) => moves.includes(id)),
        validBefore,
      ),
  };
};
const listFailures = (id: string) =>
  world.db.query('SELECT failures FROM authorizations WHERE move_id = $1 AND failures > 0', [id]);

it('a signed send waits for coins when the settlement that was to fund it has failed', async () => {
  const { ada, ben } = await world.fund({ ada: '10', ben: '60' });
  await world.payUser(ben, 'ada', '40');
  const destination = randomAddress();
  const id = await world.send({ walletId: ada.walletId, amount: '45', destination });
  await world.work({ signer: signOnly() });
  const [funding] = await world.db.query<{ move_id: string }>('SELECT move_id FROM coin_moves WHERE funds = $1', [id]);
  // The settlement is signed first, so its signature expires first. The token refuses it until then.
  await startPayments({ ...world, signer: signOnly(funding!.move_id) }, world.network);
  await asAdmin(world.databaseUrl, 'UPDATE authorizations SET failures = $1', [MAX_FAILURES]);
  await world.mine(1, 500);
  await startPayments({ ...world, signer: world.signer }, world.network);
  await world.mine(4, 600);
  await world.work();
  expect(await world.db.query('SELECT state FROM coin_moves WHERE funds = $1', [id])).toEqual([{ state: 'dead' }]);

  // No other wallet has coins now.
  await world.work();
  await world.mine(4);
  await world.work();
  expect([(await world.get(id)).state, await listFailures(id)]).toEqual(['QUEUED', []]);

  await asAdmin(world.databaseUrl, 'UPDATE holdings SET refused_until = NULL');
  await world.settleDown();
  expect((await world.get(id)).state).toBe('COMPLETE');
  expect((await world.listTransfers(destination)).map(({ amount }) => amount)).toEqual([45_000_000n]);
  expect(await world.faults()).toEqual([]);
});
