/** The client for another service: the Web3 API, and the events of the Backend API, with a service key. */
import type {
  BackendAnswer,
  BackendCall,
  BackendInput,
  CallOptions,
  Input,
  Web3Answer,
  Web3Call,
  Web3Input,
} from './calls.ts';
import { type EventsQuery, followFeed } from './events.ts';
import { backendCalls, web3Calls } from './generated/calls.ts';
import type { components } from './generated/web3.ts';
import { openTransport, type TransportOptions } from './openTransport.ts';
import { type Transaction, type WaitOptions, waitForEnd } from './waitFor.ts';

export interface ServiceClientOptions extends TransportOptions {
  /** `fsk_…`; the sandbox needs none. */
  readonly serviceKey?: string | undefined;
  /** The URL of the Backend API: for `events`, and for its other calls that a service key may make. */
  readonly backendUrl?: string | undefined;
}

const PAUSE_MS = 1_000;
/** Shorter than the time that proxies usually wait for an answer. */
const WAIT_SECONDS = 25;

export type ServiceClient = ReturnType<typeof createServiceClient>;

export function createServiceClient(options: ServiceClientOptions) {
  const transport = openTransport(options);
  const { serviceKey } = options;
  const credentials =
    serviceKey === undefined ? undefined : { getToken: async () => serviceKey, renew: async () => false };

  const { backendUrl } = options;
  const backend = backendUrl === undefined ? undefined : openTransport({ ...options, baseUrl: backendUrl });

  /** An operation of the Backend API that a service key may call, by its id. */
  async function callBackend<Name extends BackendCall>(
    name: Name,
    input: BackendInput<Name>,
    given?: CallOptions,
  ): Promise<BackendAnswer<Name>> {
    if (!backend) throw new TypeError('This is a call of the Backend API: pass backendUrl to createServiceClient.');
    const answer = await backend.call(backendCalls[name], input as Input, given, credentials);
    return answer as BackendAnswer<Name>;
  }

  /** Any operation of the reference, by its id. */
  const call = <Name extends Web3Call>(
    name: Name,
    input: Web3Input<Name>,
    given?: CallOptions,
  ): Promise<Web3Answer<Name>> =>
    transport.call(web3Calls[name], input as Input, given, credentials) as Promise<Web3Answer<Name>>;

  const getTransaction = (transactionId: string, given?: CallOptions) =>
    call('get_transaction_circle_transaction__transaction_id__get', { path: { transaction_id: transactionId } }, given);

  return {
    call,
    callBackend,
    /**
     * Pays an address on a blockchain. The payment is accepted when the call returns; see `waitFor` or `waitSeconds`.
     */
    send: (payment: components['schemas']['SendUSDCRequest'], given?: CallOptions) =>
      call('send_specific_amount_usdc_wallet_send_usdc_post', { body: payment }, given),
    getTransaction,
    /** Returns the payment when it has ended; check its `state`. */
    waitFor: ({ transaction_id: id }: Pick<Transaction, 'transaction_id'>, given: WaitOptions = {}) =>
      waitForEnd(() => getTransaction(id, given), given),
    /**
     * The events of all people, without gaps and without an end, for keys with the scope `events`: leave the loop or
     * abort the signal. Store the `id` of each processed event and pass it as `after` to resume there.
     */
    events: ({ after = 'now', types }: EventsQuery = {}, given: CallOptions = {}) =>
      followFeed(
        (place) =>
          callBackend(
            'list_events',
            { query: { after: place, ...(types && { types: types.join(',') }) } },
            // The first page, after `now`, is requested without waiting: if a held answer were lost, a repeated request
            // would start at a later `now` and miss its events.
            { ...(place !== 'now' && { waitSeconds: WAIT_SECONDS }), ...given },
          ),
        { after, signal: given.signal, pauseMs: options.retry?.firstPauseMs ?? PAUSE_MS },
      ),
    /** The balances of one of this service's wallets, by its address, and rates. */
    overview: (address: string, given?: CallOptions) =>
      call('wallet_overview_subgraph_wallet_overview_get', { query: { address } }, given),
  };
}
