/** One of the servers that `bench/http.ts` loads; sends its parent the address once it listens. */

import fastify from 'fastify';
import { createApi } from '../../server/src/http/contract/createApi.ts';
import type { Operation } from '../../server/src/http/contract/operation.ts';
import { readDocument } from '../../server/src/http/contract/readDocument.ts';

const PATH = '/wallet/send-usdc';
const OPERATION = 'send_specific_amount_usdc_wallet_send_usdc_post';

function createBare() {
  const app = fastify({ logger: false });
  app.post(PATH, async () => ({ success: true }));
  return app;
}

function createContract() {
  const document = readDocument('web3');
  const idle: Operation = async () => ({ body: { success: true } });
  const operations = { [OPERATION]: idle };
  // As in production: every answer is observed, every call is authorized.
  const seen: Record<number, number> = {};
  return createApi({
    name: 'web3',
    document,
    operations,
    partial: true,
    items: 'full',
    authorize: async () => undefined,
    observe: ({ status }) => {
      seen[status] = (seen[status] ?? 0) + 1;
    },
    logger: false,
  });
}

const app = process.argv[2] === 'bare' ? createBare() : createContract();
process.send?.(`${await app.listen({ host: '127.0.0.1', port: 0 })}${PATH}`);
