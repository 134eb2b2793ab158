import { places } from '../../../sandbox/src/chain/genesis.ts';
import { type LocalChain, openLocalChain } from '../../../sandbox/src/chain/openLocalChain.ts';
import { serveLocalChain } from '../../../sandbox/src/chain/serveLocalChain.ts';
import type { ChainConfig } from '../../../server/src/adapters/chain/viemChain.ts';
import type { Token } from '../../../server/src/core/ports.ts';
import { HOME } from '../values.ts';

export const PLACE = places[HOME];

export interface ServedTestChain {
  readonly local: LocalChain;
  readonly url: string;
  /** The configuration with which `viemChain` connects to this chain. */
  readonly config: ChainConfig;
  /** One of the local chain's switches: its faucet, its faults, its clock. */
  turn(path: string, body: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/** A chain in this process with blocks on demand, behind a real socket. */
export async function serveTestChain(
  chainId: number = PLACE.chainId,
  moreTokens: readonly Token[] = [],
): Promise<ServedTestChain> {
  const place = { ...PLACE, chainId, moreTokens: moreTokens.map(({ contract }) => contract) };
  const local = await openLocalChain({ place, mining: 'demand' });
  const served = await serveLocalChain(local, HOME);
  return {
    local,
    url: served.url,
    config: {
      blockchain: HOME,
      chainId,
      tokens: [{ symbol: 'USDC', decimals: 6, contract: PLACE.usdc }, ...moreTokens],
      finality: { kind: 'tag' },
      rpcUrls: [served.url],
      // Only tests of slow nodes need a short timeout.
      timeoutMs: 20_000,
    },
    async turn(path, body) {
      const answer = await fetch(served.url + path, { method: 'POST', body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
      return answer.json();
    },
    async close() {
      await served.close();
      await local.close();
    },
  };
}
