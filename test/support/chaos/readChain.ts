/** What the chain says, by JSON-RPC. */
import type { Evidence } from './judge.ts';

/** keccak256 of `Transfer(address,address,uint256)`, and the selector of `balanceOf(address)`. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const BALANCE_OF = '0x70a08231';

/** `wallets`: the addresses of the service, in lower case. */
export async function readChain(
  nodeUrl: string,
  token: string,
  wallets: readonly string[],
): Promise<Evidence['chain']> {
  async function call<Result>(method: string, params: readonly unknown[]): Promise<Result> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(nodeUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { result, error } = (await answer.json()) as { result?: Result; error?: unknown };
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result as Result;
  }
  const logs = await call<{ topics: string[]; data: string }[]>('eth_getLogs', [
    { address: token, topics: [TRANSFER], fromBlock: '0x0', toBlock: 'latest' },
  ]);
  const addressOf = (topic: string) => `0x${topic.slice(26)}`.toLowerCase();
  const transfers = new Map<string, number[]>();
  for (const { topics, data } of logs) {
    const [from, to] = [addressOf(topics[1]!), addressOf(topics[2]!)];
    if (!wallets.includes(from) || wallets.includes(to)) continue;
    transfers.set(to, [...(transfers.get(to) ?? []), Number(data)]);
  }
  let custody = 0;
  for (const wallet of wallets) {
    const data = BALANCE_OF + wallet.slice(2).padStart(64, '0');
    custody += Number(await call<string>('eth_call', [{ to: token, data }, 'latest']));
  }
  return { transfers, custody };
}
