/** M28: rows to addresses on Solana and Aptos, which Circle sends. */

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeBase58 } from '../../sandbox/src/circle/keys.ts';
import { unreadChain } from '../../server/src/adapters/chain/unreadChain.ts';
import { ELSEWHERE } from '../../server/src/adapters/wallets/circle/circleBlockchains.ts';
import { readAddressOf } from '../../server/src/core/families.ts';
import type { Hex } from '../../server/src/core/ports.ts';
import { openDestinations } from '../../server/src/payments/destinations/openDestinations.ts';
import { startUnwatchedWorld, type UnwatchedWorld } from '../support/circle/unwatchedChain.ts';
import { asAdmin } from '../support/database.ts';
import { drivePayouts } from '../support/payouts/drivePayouts.ts';
import { makeKey, type PayoutKey } from '../support/payouts/makeKey.ts';
import { HOME } from '../support/values.ts';

const newAddress = {
  'SOL-DEVNET': () => encodeBase58(randomBytes(32)),
  'APTOS-TESTNET': () => `0x${randomBytes(32).toString('hex')}`,
};

/** Another Solana address that differs in the case of one letter. */
const changeCase = (address: string): string =>
  [...address]
    .map((letter, i) => {
      const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
      return address.slice(0, i) + other + address.slice(i + 1);
    })
    .find((changed) => changed !== address && readAddressOf('solana', changed) !== undefined)!;

describe.each(['SOL-DEVNET', 'APTOS-TESTNET'] as const)('a payout on %s', (blockchain) => {
  let place: UnwatchedWorld;
  let key: PayoutKey;
  let driver: ReturnType<typeof drivePayouts>;
  beforeAll(async () => {
    place = await startUnwatchedWorld(blockchain);
    await asAdmin(place.databaseUrl, `SELECT ledger_set_home_asset(ledger_open_token($1, 'USDC'))`, [HOME]);
    key = await makeKey(place.databaseUrl, 'robot');
    const places = openDestinations(
      [
        unreadChain({
          blockchain,
          token: { symbol: 'USDC', decimals: 6, contract: ELSEWHERE[blockchain]!.usdc as Hex },
        }),
      ],
      'USDC',
    );
    driver = drivePayouts({ db: place.db, url: place.databaseUrl }, () => key, places);
  });
  afterAll(() => place.stop());

  it('M28: pays addresses', async () => {
    const { userId } = await place.person('ada', 1);
    const [one, two] = [newAddress[blockchain](), newAddress[blockchain]()];
    const file = `e1,${one},2.5,${blockchain}\ne2,${two},1,${blockchain}\n`;
    const id = await driver.check(file, 'ada');
    await driver.confirm(id);
    await driver.run(id);
    expect(await driver.rows(id)).toEqual(['sent', 'sent']);
    const items = await place.db.query<{ payment_id: string }>(
      'SELECT payment_id FROM payout_items WHERE payout_id = $1 ORDER BY nth',
      [id],
    );
    for (const { payment_id } of items) await place.finish(payment_id);
    expect(await driver.run(id)).toBe('done');
    const left = await place.db.query('SELECT sum(available)::text AS sum FROM accounts WHERE user_id = $1', [userId]);
    expect([await driver.rows(id), left]).toEqual([['paid', 'paid'], [{ sum: '6500000' }]]);
    // The same file again pays no one. On Solana the same letters in another case are another address.
    expect((await driver.get(await driver.check(file, 'ada'))).known.count).toBe(2);
    const other = blockchain === 'SOL-DEVNET' ? changeCase(one) : two;
    expect(await driver.tryCheck(`e1,${other},2.5,${blockchain}\n`, 'ada')).toEqual(['reference.used']);
    // Aptos omits leading zeros.
    if (blockchain === 'APTOS-TESTNET') await driver.check(`e3,0xA1,1,${blockchain}\n`, 'ada');
    expect(await place.faults()).toEqual([]);
  });

  it('M28: refuses an invalid address, and reports the address column', async () => {
    const others = ['SOL-DEVNET', 'APTOS-TESTNET'] as const;
    const foreign = newAddress[others.find((one) => one !== blockchain)!]();
    await place.person('bea');
    const rows = [
      ['not an address', foreign, blockchain, 'address.invalid'],
      ['a digit too many', `${newAddress[blockchain]()}1111111111111`, blockchain, 'address.invalid'],
      ['a person', 'bea', blockchain, 'blockchain.people'],
      ['without its blockchain', newAddress[blockchain](), '', 'blockchain.unsupported'],
      ['nobody', 'nobody_here', '', 'username.unknown'],
    ] as const;
    const file = rows.map(([, to, where], i) => `bad-${i},${to},1,${where}\n`).join('');
    expect(await driver.tryCheck(file)).toEqual(rows.map(([, , , code]) => code));
  });
});
