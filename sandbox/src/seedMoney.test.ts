import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../test/support/database/openTestDatabase.ts';
import { openBare } from '../../test/support/guards/clauses/openBare.ts';
import { putRow } from '../../test/support/guards/clauses/putRow.ts';
import { listen } from '../../test/support/http/listen.ts';
import { seedMoney } from './seedMoney.ts';

const BLOCKCHAIN = 'ETH-SEPOLIA';
const USER = 'a0000000-0000-4000-8000-000000000000';
const [PERSON, TREASURY] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const;

let database: TestDatabase;
const bare = openBare(() => database);
/** A chain whose wallets have these coins, and whose blocks credit their owners. */
let coins: Record<string, number> = {};
let minted: string[] = [];
let chain: Server;
let url: string;

beforeAll(async () => {
  database = await openTestDatabase();
  chain = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const body = JSON.parse(Buffer.concat(parts).toString()) as { address: string; params: [{ data: string }] };
    const said: { result?: string } = {};
    if (request.url === '/') said.result = `0x${(coins[`0x${body.params[0].data.slice(-40)}`] ?? 0).toString(16)}`;
    if (request.url === '/faucet') {
      minted.push(body.address);
      coins[body.address] = 1;
    }
    if (request.url === '/mine') await credit();
    response.end(JSON.stringify(said));
  });
  url = `http://127.0.0.1:${await listen(chain)}`;
});
afterAll(async () => {
  chain.close();
  await database.remove();
});

const account = (address: string) =>
  address === PERSON ? { account_id: 9001, kind: 'user', user_id: USER } : { account_id: 9002, kind: 'treasury' };
const credit = () =>
  bare.tx(async (tx) => {
    await tx.query('DELETE FROM accounts');
    for (const address of Object.keys(coins))
      await putRow(tx, 'accounts', { ...account(address), asset_id: 9, tier: 0, entries: 1 });
  });

/**
 * Seeds money when some wallets already have coins on the chain and the ledger has credited some. Returns the
 * addresses that got coins.
 */
async function seed(have: readonly string[], credited: readonly string[]): Promise<string[]> {
  coins = Object.fromEntries(have.map((address) => [address, 1]));
  minted = [];
  await bare.tx(async (tx) => {
    for (const table of ['accounts', 'wallets', 'assets', 'networks']) await tx.query(`DELETE FROM ${table}`);
    await putRow(tx, 'networks', { network_id: 9, blockchain: BLOCKCHAIN });
    await putRow(tx, 'assets', { asset_id: 9, network_id: 9 });
    const wallet = { provider: 'local' };
    await putRow(tx, 'wallets', { ...wallet, wallet_id: USER, kind: 'user', user_id: USER, address: PERSON });
    await putRow(tx, 'wallets', { ...wallet, kind: 'treasury', reference: 'y', address: TREASURY });
    for (const address of credited)
      await putRow(tx, 'accounts', { ...account(address), asset_id: 9, tier: 0, entries: 1 });
  });
  await seedMoney({
    ...{ databaseUrl: database.adminUrl, people: [PERSON], treasury: TREASURY, homeBlockchain: BLOCKCHAIN },
    chains: [{ blockchain: BLOCKCHAIN, chain_id: 1, rpc_url: url, usdc_address: `0x${'9'.repeat(40)}` }],
    stopping: new AbortController().signal,
  });
  return minted;
}

it.each<[name: string, have: string[], credited: string[], minted: string[]]>([
  ['a first start mints for everyone', [], [], [PERSON, TREASURY]],
  ['a later start mints nothing', [PERSON, TREASURY], [PERSON, TREASURY], []],
  ['a later start mints nothing for those who have sent it all', [], [PERSON, TREASURY], []],
  ['a start that was killed after it had minted is not repeated', [PERSON, TREASURY], [], []],
  ['a start that was killed half way continues', [PERSON], [], [TREASURY]],
  ['a new person gets their money', [TREASURY], [TREASURY], [PERSON]],
])('%s', async (_, have, credited, expected) => {
  expect(await seed(have, credited)).toEqual(expected);
});
