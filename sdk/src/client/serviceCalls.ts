/** What a server does with its service keys: wallets and payments (Web3 API), payouts and webhooks (Backend API). */
import type { CallInput, CallOptions, CallQuery } from '../calls.ts';
import type { components as BackendComponents } from '../generated/backend.ts';
import { listItems } from '../pages.ts';
import { type Transaction, type WaitOptions, waitForEnd } from '../waitFor.ts';
import type { Connection } from './connect.ts';

type Schemas = BackendComponents['schemas'];
type PaymentToAddress = CallInput<'send_specific_amount_usdc_wallet_send_usdc_post'>['body'];

export function serviceCalls({ call }: Connection) {
  const getPayment = (transactionId: string, given?: CallOptions) =>
    call('get_transaction_circle_transaction__transaction_id__get', { path: { transaction_id: transactionId } }, given);
  const payout = (id: string) => ({ path: { payout_id: id } });
  const webhook = (id: string) => ({ path: { webhook_id: id } });

  return {
    /** Wallets and their payments, with a `web3Key`. */
    wallets: {
      /**
       * Pays an address on a blockchain. The payment is accepted when the call returns; see `waitFor` or `waitSeconds`.
       */
      send: (payment: PaymentToAddress, given?: CallOptions) =>
        call('send_specific_amount_usdc_wallet_send_usdc_post', { body: payment }, given),
      getTransaction: getPayment,
      /** Returns the payment when it has ended; check its `state`. */
      waitFor: ({ transaction_id: id }: Pick<Transaction, 'transaction_id'>, given: WaitOptions = {}) =>
        waitForEnd(() => getPayment(id, given), given),
      /** The balances of one of this service's wallets, by its address, and rates. */
      overview: (address: string, given?: CallOptions) =>
        call('wallet_overview_subgraph_wallet_overview_get', { query: { address } }, given),
    },

    /** Many payments from one file, with a `backendKey` of the scope `payouts`. */
    payouts: {
      /** Checks a file and pays nothing. Text is a file in CSV. */
      create: (
        file: string | readonly Schemas['NewPayoutRow'][],
        query: CallQuery<'create_payout'> = {},
        given?: CallOptions,
      ) => call('create_payout', { query, body: typeof file === 'string' ? file : { rows: [...file] } }, given),
      /** Pays the file. `count` and `total` are those of the checked payout. */
      confirm: (payoutId: string, sum: Schemas['ConfirmPayout'], given?: CallOptions) =>
        call('confirm_payout', { ...payout(payoutId), body: sum }, given),
      cancel: (payoutId: string, given?: CallOptions) => call('cancel_payout', payout(payoutId), given),
      get: (payoutId: string, given?: CallOptions) => call('get_payout', payout(payoutId), given),
      list: (query: CallQuery<'list_payouts'> = {}, given?: CallOptions) =>
        listItems(async (before) => {
          const page = await call(
            'list_payouts',
            { query: { ...query, ...(before !== undefined && { before }) } },
            given,
          );
          return { items: page.payouts, next: page.next_before };
        }, query.before),
      items: (payoutId: string, query: CallQuery<'list_payout_items'> = {}, given?: CallOptions) =>
        listItems(async (after) => {
          const place = after === undefined ? query : { ...query, after };
          const page = await call('list_payout_items', { ...payout(payoutId), query: place }, given);
          return { items: page.items, next: page.next_after };
        }, query.after),
      /** The file with the result of each row, in CSV. */
      exportItems: (payoutId: string, given?: CallOptions) => call('export_payout_items', payout(payoutId), given),
    },

    /** Where the service sends webhooks, with a `backendKey` of the scope `webhooks`. */
    webhookEndpoints: {
      /** The answer has the secret, which the service shows only once. */
      create: (endpoint: Schemas['NewWebhook'], given?: CallOptions) =>
        call('create_webhook', { body: endpoint }, given),
      list: async (given?: CallOptions) => (await call('list_webhooks', {}, given)).webhooks,
      get: (webhookId: string, given?: CallOptions) => call('get_webhook', webhook(webhookId), given),
      change: (webhookId: string, change: Schemas['WebhookChange'], given?: CallOptions) =>
        call('change_webhook', { ...webhook(webhookId), body: change }, given),
      remove: (webhookId: string, given?: CallOptions) => call('remove_webhook', webhook(webhookId), given),
      rotateSecret: (webhookId: string, change: Schemas['RotateWebhookSecret'] = {}, given?: CallOptions) =>
        call('rotate_webhook_secret', { ...webhook(webhookId), body: change }, given),
      deliveries: (webhookId: string, query: CallQuery<'list_webhook_deliveries'> = {}, given?: CallOptions) =>
        listItems(async (cursor) => {
          const place = cursor === undefined ? query : { ...query, cursor };
          const page = await call('list_webhook_deliveries', { ...webhook(webhookId), query: place }, given);
          return { items: page.deliveries, next: page.next_cursor };
        }, query.cursor),
      replayEvent: (webhookId: string, eventId: string, given?: CallOptions) =>
        call('replay_webhook_event', { path: { webhook_id: webhookId, event_id: eventId } }, given),
      /** Sends the events of a time span again, page by page: see `next_cursor` of the answer. */
      replay: (webhookId: string, span: Schemas['ReplayWebhookEvents'], given?: CallOptions) =>
        call('replay_webhook_events', { ...webhook(webhookId), body: span }, given),
      test: (webhookId: string, given?: CallOptions) => call('test_webhook', webhook(webhookId), given),
    },
  };
}
