import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { localWallets } from '../../server/src/adapters/wallets/local/localWallets.ts';
import { readSeedFile } from '../../server/src/adapters/wallets/local/seedFile.ts';
import { formatUsdc } from '../../server/src/core/money.ts';
import { FINALITY_BLOCKS } from './chain/answerRpc.ts';
import type { RunningChain } from './chain/startChains.ts';
import { StartFault } from './fault.ts';

/** The initial balance of each person and of the treasury. */
export const PEOPLE_USDC = '1000';
const TREASURY_USDC = '100000';
const RELAYER_ETH = '1000';
/** Generous: on a machine that is several times slower everything takes longer, and a failed start helps no one. */
const PATIENCE_MS = 120_000;

/** Gives the relayers native coins to pay for gas. */
export async function seedGas(options: {
  readonly chains: readonly RunningChain[];
  readonly seedFile: string;
  readonly walletSecret: string;
}): Promise<void> {
  const wallets = localWallets(await readSeedFile(options.seedFile, options.walletSecret));
  const { address } = await wallets.create({ kind: 'relayer', number: 0 });
  for (const chain of options.chains) {
    if (BigInt(await callRpc(chain, 'eth_getBalance', [address, 'latest'])) > 0n) continue;
    await turn(chain, '/faucet', { address, eth: RELAYER_ETH });
    await turn(chain, '/mine', {});
  }
}

/**
 * People get their first money from the faucet, like any deposit: minted on chain, seen by the watcher, credited when
 * final. A person who has an entry in the ledger gets no more. Returns how many people got money.
 */
export async function seedMoney(options: {
  readonly databaseUrl: string;
  readonly chains: readonly RunningChain[];
  readonly people: readonly string[];
  readonly treasury: string;
  readonly homeBlockchain: string;
  readonly stopping: AbortSignal;
}): Promise<number> {
  let paid = 0;
  const client = new pg.Client({ connectionString: options.databaseUrl, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    for (const chain of options.chains) {
      const people = chain.blockchain === options.homeBlockchain ? options.people : [];
      const wanted = [...people, options.treasury];
      const funded = await findFunded(client, chain.blockchain);
      const missing = wanted.filter((address) => !funded.has(address));
      if (missing.length === 0) continue;
      for (const address of missing) {
        const usdc = address === options.treasury ? TREASURY_USDC : PEOPLE_USDC;
        // If it has coins, an earlier start minted them and was killed before they were credited.
        if ((await readUsdc(chain, address)) === 0n) await turn(chain, '/faucet', { address, usdc });
      }
      await turn(chain, '/mine', { blocks: FINALITY_BLOCKS + 1 });
      await waitUntilFunded(client, chain.blockchain, missing, options.stopping);
      paid += missing.filter((address) => address !== options.treasury).length;
    }
    return paid;
  } finally {
    await client.end();
  }
}

/** People's available balance on a blockchain, in USDC, by user id. */
export async function readBalances(databaseUrl: string, blockchain: string): Promise<Map<string, string>> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    const { rows } = await client.query<{ user_id: string; available: string }>(
      `SELECT a.user_id, a.available::text FROM accounts a JOIN assets s USING (asset_id) JOIN networks n USING (network_id)
        WHERE n.blockchain = $1 AND a.kind = 'user'`,
      [blockchain],
    );
    return new Map(rows.map(({ user_id, available }) => [user_id, formatUsdc(BigInt(available))]));
  } finally {
    await client.end();
  }
}

async function findFunded(client: pg.Client, blockchain: string): Promise<Set<string>> {
  const { rows } = await client.query<{ address: string }>(
    `SELECT w.address FROM owner_wallets w JOIN accounts a USING (asset_id, kind)
       JOIN assets s USING (asset_id) JOIN networks n USING (network_id)
      WHERE n.blockchain = $1 AND a.entries > 0 AND a.user_id IS NOT DISTINCT FROM w.user_id`,
    [blockchain],
  );
  return new Set(rows.map((row) => row.address));
}

async function waitUntilFunded(
  client: pg.Client,
  blockchain: string,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const funded = await findFunded(client, blockchain);
    if (addresses.every((address) => funded.has(address))) return;
    if (Date.now() > deadline) {
      throw new StartFault(`The first deposits on ${blockchain} were not credited. The worker's log says more.`);
    }
    await sleep(100, undefined, { signal });
  }
}

const BALANCE_OF = '0x70a08231';

async function readUsdc(chain: RunningChain, address: string): Promise<bigint> {
  const data = BALANCE_OF + address.slice(2).toLowerCase().padStart(64, '0');
  return BigInt(await callRpc(chain, 'eth_call', [{ to: chain.usdc_address, data }, 'pending']));
}

async function callRpc(chain: RunningChain, method: string, params: readonly unknown[]): Promise<string> {
  const answer = (await turn(chain, '/', { jsonrpc: '2.0', id: 1, method, params })) as { result?: string };
  if (answer.result === undefined)
    throw new StartFault(`The local chain ${chain.blockchain} does not answer ${method}.`);
  return answer.result;
}

async function turn(chain: RunningChain, path: string, body: unknown): Promise<unknown> {
  const response = await fetch(chain.rpc_url + path, {
    method: 'POST',
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  if (response.ok) return response.json();
  throw new StartFault(`The local chain ${chain.blockchain} refused ${path}: ${await response.text()}`);
}
