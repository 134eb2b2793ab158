/**
 * Coins that leave wallets on Solana and Aptos through the provider's console (M32). Each outflow becomes an
 * unexplained move and pauses sends until an operator explains it; then sends continue.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { encodeBase58 } from '../../sandbox/src/circle/keys.ts';
import { readPayment } from '../../server/src/payments/read/readPayment.ts';
import { startUnwatchedWorld, type UnwatchedWorld } from '../support/circle/unwatchedChain.ts';
import { asAdmin } from '../support/database.ts';
import { operate } from '../support/operate.ts';
import { asOperator, nameOperators, type OperatorName } from '../support/operators.ts';
import { onePart } from '../support/run/thorough.ts';

const newAddress = {
  'SOL-DEVNET': () => encodeBase58(randomBytes(32)),
  'APTOS-TESTNET': () => `0x${randomBytes(32).toString('hex')}`,
};
type Person = Awaited<ReturnType<UnwatchedWorld['person']>>;

describe.each(onePart(['SOL-DEVNET', 'APTOS-TESTNET'] as const, 2))('on %s', (blockchain) => {
  let place: UnwatchedWorld;
  beforeAll(async () => {
    place = await startUnwatchedWorld(blockchain);
    await nameOperators(place.databaseUrl, { anna: 'admin', rita: 'risk' });
  });
  afterEach(async () => {
    place.double.control.reset();
    expect(await place.pauses()).toEqual([]);
    expect(await place.faults()).toEqual([]);
  });
  afterAll(() => place.stop());
  const outside = () => newAddress[blockchain]();
  const type = (who: OperatorName, ...args: string[]) =>
    asOperator(place.databaseUrl, who, (db) => operate(db, ...args));
  const listOpen = async (): Promise<{ tx_hash: string; log_index: number; amount: string; to_address: string }[]> =>
    JSON.parse(await type('anna', 'books', 'check', '--json')).unexplained;
  const owns = async (...people: Person[]) =>
    Promise.all(
      people.map(async ({ userId, walletId }) => [await place.available(userId), await place.coins(walletId)]),
    );

  async function importAs(kind?: 'payment' | 'settlement' | 'loss'): Promise<string> {
    const [move] = await listOpen();
    const words = [move!.tx_hash, String(move!.log_index), ...(kind ? ['--as', kind] : [])];
    // Lines break at the terminal's width.
    return (await type('anna', 'payment', 'import', ...words)).replace(/\s+/g, ' ');
  }

  async function expectSendsGoOn({ walletId }: Person): Promise<void> {
    for (let i = 0; i < 2; i++) await place.compareAll();
    const id = await place.send(walletId, outside(), '1');
    await place.finish(id);
    expect((await readPayment(place.db, id))!.state).toBe('COMPLETE');
  }

  it('an outflow to an external address becomes a payment of the wallet’s owner, with its chain transaction', async () => {
    const ada = await place.person('ada', 1);
    const to = outside();
    await place.moveByHand(ada.walletId, to, '4');
    await place.work();
    expect(await place.pauses()).toEqual([expect.stringMatching(/coins left wallet/)]);
    await expect(place.send(ada.walletId, outside(), '1')).rejects.toMatchObject({ code: 'service.paused' });
    expect(await listOpen()).toMatchObject([{ amount: '4', to_address: to }]);
    const [, id] = /payment ([0-9a-f-]{36})/.exec(await importAs())!;
    expect(await readPayment(place.db, id!)).toMatchObject({ state: 'COMPLETE', to: { address: to } });
    expect(await owns(ada)).toEqual([['6', '6']]);
    await place.work();
    expect(await listOpen()).toEqual([]);
    await expectSendsGoOn(ada);
  });

  it('an outflow that reconciliation saw first leaves no pause behind', async () => {
    const bea = await place.person('bea', 1);
    await place.moveByHand(bea.walletId, outside(), '4');
    for (let i = 0; i < 2; i++) await place.compareAll();
    expect(await place.pauses()).toEqual([expect.stringMatching(/differs by -4 USDC/)]);
    await place.work();
    await importAs();
    await expectSendsGoOn(bea);
  });

  it('several outflows are imported separately, also of one wallet, and by one command', async () => {
    const [cal, dan] = [await place.person('cal', 1), await place.person('dan', 1)];
    for (const [who, amount] of [
      [cal, '1'],
      [cal, '1'],
      [cal, '2'],
      [dan, '3'],
    ] as const)
      await place.moveByHand(who.walletId, outside(), amount);
    await place.work();
    expect((await listOpen()).map(({ amount }) => amount).sort()).toEqual(['1', '1', '2', '3']);
    await type('anna', 'payment', 'import');
    expect(await owns(cal, dan)).toEqual([
      ['6', '6'],
      ['7', '7'],
    ]);
    await expectSendsGoOn(dan);
  });

  it.each(['payment', 'settlement'] as const)(
    'an outflow to one of our wallets becomes a %s if an operator says so',
    async (kind) => {
      const [eli, fox] = [await place.person(`eli_${kind}`, 1), await place.person(`fox_${kind}`)];
      await place.moveByHand(eli.walletId, fox.address, '4');
      await place.work();
      await place.work();
      expect(await importAs()).toMatch(/not imported/);
      await importAs(kind);
      expect(await owns(eli, fox)).toEqual([
        [kind === 'payment' ? '6' : '10', '6'],
        [kind === 'payment' ? '4' : '0', '4'],
      ]);
      await expectSendsGoOn(eli);
    },
  );

  it('an outflow to one of our wallets whose arrival was already credited credits no one again', async () => {
    const [gus, hal] = [await place.person('gus', 1), await place.person('hal')];
    place.double.control.turn({ arrivals: { source: 'none' } });
    await place.moveByHand(gus.walletId, hal.address, '4');
    await place.work();
    await place.work();
    while ((await listOpen()).length > 0) await importAs('payment');
    expect(await owns(gus, hal)).toEqual([
      ['6', '6'],
      ['4', '4'],
    ]);
  });

  it('an outflow to a person who registers later is credited when they register', async () => {
    const ian = await place.person('ian', 1);
    const address = await place.makeAtCircle('jon');
    await place.moveByHand(ian.walletId, address, '4');
    await place.work();
    await importAs();
    const jon = await place.person('jon');
    for (let i = 0; i < 2; i++) await place.work();
    expect(await owns(ian, jon)).toEqual([
      ['6', '6'],
      ['4', '4'],
    ]);
  });

  it('an outflow becomes a loss of the service if an operator says so', async () => {
    const kay = await place.person('kay', 1);
    await place.moveByHand(kay.walletId, outside(), '4');
    await place.work();
    expect(await importAs('loss')).toMatch(/a loss of the service/);
    expect(await owns(kay)).toEqual([['10', '6']]);
    // The service owes her what her wallet lacks.
    const lou = await place.person('lou', 2);
    await expectSendsGoOn(lou);
    await expect(importAs('loss')).rejects.toThrow();
  });

  it('an outflow that the provider does not list is corrected by two people', async () => {
    const mia = await place.person('mia', 1);
    await place.moveByHand(mia.walletId, outside(), '5');
    await asAdmin(
      place.databaseUrl,
      `INSERT INTO arrivals (network_id, provider_id, to_address, verdict) SELECT network_id, $1, $2, 'other' FROM networks`,
      [place.double.control.transactions().at(-1)!.id, mia.address],
    );
    for (let i = 0; i < 2; i++) await place.compareAll();
    expect(await place.pauses()).toEqual([expect.stringMatching(/differs by -5 USDC/)]);
    const said = await type(
      'anna',
      'books',
      'correct',
      blockchain,
      '--less',
      '5',
      '--wallet',
      mia.walletId,
      '--why',
      'x',
    );
    await type('rita', 'books', 'approve', /Proposed as ([0-9a-f-]+)\./.exec(said)![1]!);
    await type('anna', 'pause', 'remove', `chain:${blockchain}`, '--cause', 'drift');
    expect(await owns(mia)).toEqual([['5', '5']]);
    await expectSendsGoOn(mia);
  });

  it('an outflow that is listed late with an old time is found when an operator requests a rescan', async () => {
    const oda = await place.person('oda', 1);
    place.double.control.turn({ arrivals: { late_ms: 86_400_000 } });
    await place.drip(oda.walletId);
    await place.work();
    expect(await place.available(oda.userId)).toBe('10');
    await type('anna', 'wallet', 'rescan', oda.walletId, blockchain);
    for (let i = 0; i < 2; i++) await place.work();
    expect(await owns(oda)).toEqual([['20', '20']]);
    expect(await place.db.query('SELECT FROM wallet_rescans')).toEqual([]);
  });

  it('a send lost in a restore is imported as the original payment', async () => {
    const ned = await place.person('ned', 1);
    const to = outside();
    const id = '0f0e0d0c-0b0a-4908-8706-050403020100';
    await place.moveByHand(ned.walletId, to, '4', id);
    await place.work();
    expect(await importAs()).toContain(id);
    expect(await readPayment(place.db, id)).toMatchObject({ state: 'COMPLETE', to: { address: to } });
    await expectSendsGoOn(ned);
  });
});
