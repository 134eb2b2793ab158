/** Checks what must be true when nothing is left to do, whatever has happened before. */
import { type Hex, keccak256 } from 'viem';
import { viemChain } from '../../../../server/src/adapters/chain/viemChain.ts';
import { checkBooks } from '../../../../server/src/ledger/checkBooks.ts';
import { compareEnds } from '../../chain/compareEnds.ts';
import { PLACE } from '../../chain/serveTestChain.ts';
import { explainBalances } from '../../properties/explainBalances.ts';
import { listContradictions } from '../../properties/listContradictions.ts';
import { listUnended } from '../../properties/listUnended.ts';
import type { Context } from './context.ts';

export async function judgeEnd(context: Context): Promise<string[]> {
  const { db, database, places } = context.world;
  const chain = viemChain(places.truth);
  const unended = await listUnended(db);
  const pauses = await db.query<{ says: string }>(
    `SELECT 'paused: ' || cause || ', ' || reason AS says FROM pauses WHERE cause NOT IN ('operator', 'closed')`,
  );
  return [
    ...unended.map(({ says }) => says),
    ...pauses.map(({ says }) => says),
    ...(await listContradictions(db)).map(({ says }) => says),
    ...(await checkBooks(db)).faults,
    ...(await explainBalances({ db, databaseUrl: database.url }, { seed: 1 })),
    ...(await compareEnds({ db, chain })),
    ...(await compareCoins(context)),
    ...(await compareDeposits(context)),
    ...(await compareRows(context)),
  ];
}

/**
 * On the chain, every wallet has the coins that custody counts, and all together have the amount that people are owed.
 */
async function compareCoins({ world: { db, places } }: Context): Promise<string[]> {
  const chain = viemChain(places.truth);
  const rows = await db.query<{ wallet_id: string; address: Hex; coins: bigint; reserved: bigint }>(
    'SELECT wallet_id, address, coins, reserved FROM holdings JOIN wallets USING (wallet_id)',
  );
  const head = await chain.getHead();
  const onChain = await chain.readBalances(
    PLACE.usdc,
    rows.map(({ address }) => address),
    head,
  );
  const faults = rows.flatMap(({ wallet_id: id, coins, reserved }, i) => [
    ...(coins === onChain[i] ? [] : [`wallet ${id} counts ${coins}, the chain ${onChain[i]}`]),
    ...(reserved === 0n ? [] : [`wallet ${id} reserves ${reserved}`]),
  ]);
  const [sums] = await db.query<{ owed: bigint; coins: bigint }>(
    `SELECT coalesce(-(SELECT sum(available) FROM accounts WHERE kind = 'chain'), 0)::bigint AS owed,
            (SELECT coalesce(sum(coins), 0)::bigint FROM holdings) AS coins`,
  );
  if (sums!.owed !== sums!.coins) faults.push(`the ledger owes ${sums!.owed}, the wallets have ${sums!.coins}`);
  return faults;
}

/** No row of a payout has failed although the chain has paid it: the nonce is derived from the row's payment. */
async function compareRows({ world: { owner } }: Context): Promise<string[]> {
  const { rows } = await owner.query<{ id: string; says: string; nonces: Buffer[] }>(
    `SELECT payment_id AS id, 'row ' || nth || ' of payout ' || payout_id || ' has failed, and the chain has paid it' AS says,
            ARRAY(SELECT nonce FROM forgotten_nonces WHERE kind = 'used') AS nonces
       FROM payout_items WHERE state = 'failed' AND destination IS NOT NULL AND error->>'code' <> 'reference.used'`,
  );
  return rows.flatMap(({ id, says, nonces }) => {
    const nonce = Buffer.from(keccak256(`0x${id.replaceAll('-', '')}`).slice(2), 'hex');
    return nonces.some((one) => one.equals(nonce)) ? [says] : [];
  });
}

/** Every deposit that is on the chain is credited once; a deposit that the chain has lost is not credited. */
async function compareDeposits({ world: { places }, observer, state }: Context): Promise<string[]> {
  const faults: string[] = [];
  for (const [hash, { name }] of observer.minted) {
    const isThere = (await places.local.read('eth_getTransactionReceipt', [hash])) !== null;
    const times = state.deposits.filter((one) => one === name).length;
    if (times !== (isThere ? 1 : 0))
      faults.push(`${name} is ${isThere ? '' : 'not '}on the chain, credited ${times} times`);
  }
  return faults;
}
