/** What the chain says, by JSON-RPC: who got coins of the service, and what its wallets hold. */
import pg from 'pg';
import type { Outside } from './check.ts';

/** keccak256 of `Transfer(address,address,uint256)`, and the selector of `balanceOf(address)`. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const BALANCE_OF = '0x70a08231';

interface ChainView {
  /** Amounts that left the wallets of the service, by the address that got them. */
  readonly transfers: ReadonlyMap<string, readonly number[]>;
  /** The sum of the wallets of the service. */
  readonly custody: number;
}

export async function readChain({ nodeUrl, token, databaseUrl }: Outside): Promise<ChainView> {
  async function call<Result>(method: string, params: readonly unknown[]): Promise<Result> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(nodeUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { result, error } = (await answer.json()) as { result?: Result; error?: unknown };
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result as Result;
  }
  const wallets = new Set(await listWallets(databaseUrl));
  const logs = await call<{ topics: string[]; data: string }[]>('eth_getLogs', [
    { address: token, topics: [TRANSFER], fromBlock: '0x0', toBlock: 'latest' },
  ]);
  const transfers = new Map<string, number[]>();
  for (const { topics, data } of logs) {
    const [from, to] = [topics[1]!, topics[2]!].map((topic) => `0x${topic.slice(26)}`.toLowerCase()) as [
      string,
      string,
    ];
    if (!wallets.has(from) || wallets.has(to)) continue;
    transfers.set(to, [...(transfers.get(to) ?? []), Number(data)]);
  }
  let custody = 0;
  for (const wallet of wallets) {
    const data = BALANCE_OF + wallet.slice(2).padStart(64, '0');
    custody += Number(await call<string>('eth_call', [{ to: token, data }, 'latest']));
  }
  return { transfers, custody };
}

async function listWallets(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ address: string }>('SELECT lower(address) AS address FROM wallets');
  await client.end();
  return rows.map(({ address }) => address);
}
