/**
 * One of the servers that `bench/overview.ts` loads, as a separate process; sends its address to the parent. Its chain
 * counts the calls; a request for one of our wallets must make none.
 */
import { readFileSync } from 'node:fs';
import fastify from 'fastify';
import { viemChain } from '../../server/src/adapters/chain/viemChain.ts';
import { openServiceCallers } from '../../server/src/customers/keys/serviceKeys.ts';
import { openDatabase } from '../../server/src/db/database.ts';
import { createApi } from '../../server/src/http/contract/createApi.ts';
import { createMetrics } from '../../server/src/http/ops/metrics.ts';
import { authorize } from '../../server/src/http/web3/authorize.ts';
import { walletOverviewOperation } from '../../server/src/http/web3/walletOverview.ts';
import { openOverview } from '../../server/src/overview/openOverview.ts';

const PATH = '/subgraph/wallet-overview';
const [, , role, databaseUrl = '', example = '{}'] = process.argv;

/** The comparison: a Fastify server with one route that returns a constant. */
function createBare() {
  const app = fastify({ logger: false });
  const answer = JSON.parse(example);
  app.get(PATH, async () => answer);
  return app;
}

function createOverview() {
  const serviceCallers = openServiceCallers(openDatabase(databaseUrl));
  const unreachable = {
    chainId: 31_337,
    tokens: [{ symbol: 'USDC', decimals: 6, contract: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238' }],
    finality: { kind: 'tag' },
    rpcUrls: ['http://127.0.0.1:9'],
  } as const;
  const chains = ['ETH-SEPOLIA', 'BASE-SEPOLIA'].map((blockchain) => {
    const chain = viemChain({ blockchain, ...unreachable });
    return {
      ...chain,
      multicall: (...given: Parameters<typeof chain.multicall>) => {
        process.send?.('asked the chain');
        return chain.multicall(...given);
      },
    };
  });
  return createApi({
    name: 'web3',
    document: JSON.parse(readFileSync(new URL('../../openapi/web3.json', import.meta.url), 'utf8')),
    operations: {
      wallet_overview_subgraph_wallet_overview_get: walletOverviewOperation({
        overviews: openOverview({ databaseUrl, chains, currency: 'USDC' }),
      }),
    },
    partial: true,
    items: 'full',
    authorize: (call) => authorize({ serviceCallers, mode: 'sandbox' }, call),
    observe: createMetrics().observeRequest,
    logger: false,
  });
}

const app = role === 'bare' ? createBare() : createOverview();
process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));
process.on('disconnect', () => process.exit(0));
