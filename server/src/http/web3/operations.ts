/**
 * `web3` is the Web3 API. Each operation parses its call, calls one use case and renders the answer. It owns no tables;
 * `bin` serves it through `contract`. Keyed by the document's operation ids.
 */
import type { Read } from '../../db/standbys/openReads.ts';
import type { Overviews } from '../../overview/openOverview.ts';
import type { AcceptApp } from '../calls/acceptSend.ts';
import { requireIdempotencyKey } from '../calls/requireIdempotencyKey.ts';
import type { Operation } from '../contract/operation.ts';
import { getTransactionOperation } from './getTransaction.ts';
import { sendUsdcOperation } from './sendUsdc.ts';
import { walletOverviewOperation } from './walletOverview.ts';

interface Web3App extends AcceptApp {
  readonly read: Read;
  readonly overviews: Overviews;
  /** Calls that move money require an Idempotency-Key. */
  readonly requiresKeys: boolean;
}

export const web3Operations = (app: Web3App): Record<string, Operation> => ({
  send_specific_amount_usdc_wallet_send_usdc_post: app.requiresKeys
    ? requireIdempotencyKey(sendUsdcOperation(app))
    : sendUsdcOperation(app),
  wallet_overview_subgraph_wallet_overview_get: walletOverviewOperation(app),
  get_transaction_circle_transaction__transaction_id__get: getTransactionOperation(app),
});
