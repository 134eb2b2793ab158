import { type Address, getAddress, type Hex } from 'viem';

/** One of the sandbox's local chains, as the double uses it. */
export interface DoubleChain {
  readonly blockchain: string;
  readonly chain_id: number;
  readonly rpc_url: string;
  readonly usdc_address: string;
}

export interface ChainClient {
  readonly blockchain: string;
  readonly chainId: number;
  readonly usdc: Address;
  call<Result>(method: string, params: readonly unknown[]): Promise<Result>;
  /** Coins from the chain's faucet, as decimals; they arrive with the next block. */
  give(address: string, coins: { readonly usdc?: string; readonly eth?: string }): Promise<void>;
}

/** A node's error answer. */
export class NodeRefusal extends Error {
  readonly data: Hex | undefined;
  constructor(message: string, data: unknown) {
    super(message);
    this.name = 'NodeRefusal';
    this.data = typeof data === 'string' ? (data as Hex) : undefined;
  }
}

const TIMEOUT_MS = 20_000;

export function createChainClient(chain: DoubleChain): ChainClient {
  async function post(path: string, body: unknown): Promise<unknown> {
    const answer = await fetch(chain.rpc_url + path, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (answer.ok) return answer.json();
    throw new Error(`The local chain ${chain.blockchain} refused ${path || 'a call'}: ${await answer.text()}`);
  }
  return {
    blockchain: chain.blockchain,
    chainId: chain.chain_id,
    usdc: getAddress(chain.usdc_address),
    async call<Result>(method: string, params: readonly unknown[]) {
      const answer = (await post('', { jsonrpc: '2.0', id: 1, method, params })) as {
        result?: Result;
        error?: { message: string; data?: unknown };
      };
      if (answer.error) throw new NodeRefusal(answer.error.message, answer.error.data);
      return answer.result as Result;
    },
    async give(address, coins) {
      await post('/faucet', { address: getAddress(address), ...coins });
    },
  };
}
