/** The client for one person: the Backend API with that person's session. */
import type { BackendAnswer, BackendCall, BackendInput, CallOptions, Input } from './calls.ts';
import { type EventsQuery, followStream } from './events.ts';
import { FlorinError } from './FlorinError.ts';
import type { components } from './generated/backend.ts';
import { backendCalls } from './generated/calls.ts';
import { keepSession, type Lock, type Session, type SessionStore, type Tokens } from './keepSession.ts';
import { openTransport, type TransportOptions } from './openTransport.ts';
import { eachItem } from './pages.ts';
import { type Transaction, type WaitOptions, waitForEnd } from './waitFor.ts';

type Schemas = components['schemas'];
type QueryOf<Name extends BackendCall> = NonNullable<
  BackendInput<Name> extends { readonly query?: infer Query } ? Query : never
>;

export interface PersonClientOptions extends TransportOptions {
  /** Where the session is stored across reloads. Default: in memory only. */
  readonly store?: SessionStore | undefined;
  /**
   * Prevents concurrent refreshes by users of the same store. Default: the browser's locks, which all tabs of a site
   * share, if they exist; otherwise none, which is right for a store that only one process uses.
   */
  readonly lock?: Lock | undefined;
}

/** A refresh can be repeated only within a minute; a later repetition would end the session. */
const REFRESH_TOTAL_MS = 40_000;

const PAUSE_MS = 1_000;

export type PersonClient = ReturnType<typeof createPersonClient>;

export function createPersonClient(options: PersonClientOptions) {
  const transport = openTransport(options);
  const refreshing = openTransport({ ...options, retry: { ...options.retry, totalMs: REFRESH_TOTAL_MS } });
  const session = keepSession({
    store: options.store,
    lock: options.lock ?? findLock(options.baseUrl),
    exchange: async (refreshToken, idempotencyKey) => {
      const body = { refresh_token: refreshToken };
      const timeoutMs = Math.min(options.timeoutMs ?? REFRESH_TOTAL_MS, 10_000);
      return (await refreshing.call(backendCalls.refresh_session, { body }, { idempotencyKey, timeoutMs })) as Tokens;
    },
  });

  /** Any operation of the reference, by its id. */
  const call = <Name extends BackendCall>(
    name: Name,
    input: BackendInput<Name>,
    given?: CallOptions,
  ): Promise<BackendAnswer<Name>> =>
    transport.call(backendCalls[name], input as Input, given, session) as Promise<BackendAnswer<Name>>;

  const ownId = async (): Promise<string> => (await session.getSession()).userId;

  async function ownName(given?: CallOptions): Promise<string> {
    const { username } = (await call('read_me', {}, given)).user;
    if (username === null) throw new FlorinError({ code: 'username.needed', title: 'A username is needed' });
    return username;
  }

  /** An ID token is valid for one login, so a login is repeated only if the attempt was certainly not carried out. */
  async function login(idToken: string, given?: CallOptions): Promise<Schemas['LoginAnswer']> {
    const answer = await transport.call(backendCalls.login, { body: { id_token: idToken } }, given);
    const { user, ...tokens } = answer as Schemas['LoginAnswer'];
    await session.begin(user.user_id, tokens);
    return answer as Schemas['LoginAnswer'];
  }

  /** The local session is always deleted. An error means that the service does not know about the logout yet. */
  async function logout(given?: CallOptions): Promise<void> {
    const found = await session.findSession();
    if (!found) return;
    try {
      await call('revoke_session', { path: { session_id: found.sessionId } }, given);
    } catch (error) {
      const isOver = error instanceof FlorinError && [401, 404].includes(error.status);
      if (!isOver) throw error;
    } finally {
      await session.end();
    }
  }

  const getTransaction = (transactionId: string, given?: CallOptions) =>
    call('get_transaction', { path: { transaction_id: transactionId } }, given);

  return {
    call,
    login,
    logout,
    /** The person who is logged in here; undefined: no one. */
    findSession: (): Promise<Session | undefined> => session.findSession(),
    me: (given?: CallOptions) => call('read_me', {}, given),
    overview: (given?: CallOptions) => call('read_my_overview', {}, given),
    limits: async (given?: CallOptions) => call('read_limits', { path: { user_id: await ownId() } }, given),

    /** Pays a person by username. The payment is complete when the call returns. */
    pay: async (payment: Omit<Schemas['SendToUserRequest'], 'sender_user_id'>, given?: CallOptions) =>
      call('send_usdc', { body: { sender_user_id: await ownId(), ...payment } }, given),
    /** Pays an address on a blockchain. The payment is accepted when the call returns; see `waitFor`. */
    send: (payment: Schemas['SendToAddressRequest'], given?: CallOptions) =>
      call('send_to_address', { body: payment }, given),
    /** Shows what a payment would do; nothing is paid. */
    preview: (payment: Schemas['PreviewRequest'], given?: CallOptions) =>
      call('preview_payment', { body: payment }, given),
    getTransaction,
    cancelTransaction: (transactionId: string, given?: CallOptions) =>
      call('cancel_transaction', { path: { transaction_id: transactionId } }, given),
    /** Returns the payment when it has ended; check its `state`. */
    waitFor: ({ transaction_id: id }: Pick<Transaction, 'transaction_id'>, given: WaitOptions = {}) =>
      waitForEnd(() => getTransaction(id, given), given),

    /** Payments of this person, newest first. `limit` is the page size, not the total. */
    async *history(query: QueryOf<'latest_transactions_by_username'> = {}, given?: CallOptions) {
      const path = { username: await ownName(given) };
      const { cursor: from, ...rest } = query;
      yield* eachItem(async (cursor) => {
        const asked = { path, query: { ...rest, ...(cursor !== undefined && { cursor }) } };
        const page = await call('latest_transactions_by_username', asked, given);
        return { items: page.transactions, next: page.next_cursor };
      }, from);
    },
    /** The people and addresses that this person has paid. */
    recipients: (query: QueryOf<'list_my_recipients'> = {}, given?: CallOptions) =>
      eachItem(async (cursor) => {
        const asked = { query: { ...query, ...(cursor !== undefined && { cursor }) } };
        const page = await call('list_my_recipients', asked, given);
        return { items: page.recipients, next: page.next_cursor };
      }, query.cursor),

    /**
     * Events about this person's money and requests, as they happen, without gaps and without an end: leave the loop or
     * abort the signal. Store the `id` of each processed event and pass it as `after` to resume there.
     */
    events: ({ after = 'now', types }: EventsQuery = {}, given: CallOptions = {}) =>
      followStream(
        (place) =>
          transport.call(
            backendCalls.stream_events,
            { query: { after: place, types: types?.join(',') } },
            given,
            session,
          ) as Promise<ReadableStream<Uint8Array>>,
        { after, signal: given.signal, pauseMs: options.retry?.firstPauseMs ?? PAUSE_MS },
      ),

    checkUsername: (username: string, given?: CallOptions) => call('check_username', { path: { username } }, given),
    setUsername: async (username: string, given?: CallOptions) =>
      call('set_username', { body: { user_id: await ownId(), username } }, given),

    /** Money requests, sent and received. */
    requests: {
      ask: (request: Schemas['AskForMoney'], given?: CallOptions) => call('ask_for_money', { body: request }, given),
      list: (query: QueryOf<'list_requests'> = {}, given?: CallOptions) =>
        eachItem(async (cursor) => {
          const asked = { query: { ...query, ...(cursor !== undefined && { cursor }) } };
          const page = await call('list_requests', asked, given);
          return { items: page.requests, next: page.next_cursor };
        }, query.cursor),
      get: (requestId: string, given?: CallOptions) => call('get_request', { path: { request_id: requestId } }, given),
      pay: (requestId: string, given?: CallOptions) => call('pay_request', { path: { request_id: requestId } }, given),
      decline: (requestId: string, given?: CallOptions) =>
        call('decline_request', { path: { request_id: requestId } }, given),
      cancel: (requestId: string, given?: CallOptions) =>
        call('cancel_request', { path: { request_id: requestId } }, given),
    },

    /** The sessions of this person. */
    sessions: {
      list: async (given?: CallOptions) => (await call('list_sessions', {}, given)).sessions,
      end: (sessionId: string, given?: CallOptions) =>
        call('revoke_session', { path: { session_id: sessionId } }, given),
    },

    /** The identity check. */
    kyc: {
      start: async (given?: CallOptions) => call('start_kyc', { body: { user_id: await ownId() } }, given),
      issueToken: async (given?: CallOptions) => call('issue_kyc_token', { body: { user_id: await ownId() } }, given),
      check: async (given?: CallOptions) => call('check_kyc', { path: { user_id: await ownId() } }, given),
    },

    exportAccount: (given?: CallOptions) => call('export_account', {}, given),
    closeAccount: (given?: CallOptions) => call('close_account', {}, given),
  };
}

interface LockManager {
  request<T>(name: string, work: () => Promise<T>): Promise<T>;
}

function findLock(baseUrl: string): Lock {
  const { locks } = (globalThis as { navigator?: { locks?: LockManager } }).navigator ?? {};
  return locks ? (work) => locks.request(`florin-session ${baseUrl}`, work) : (work) => work();
}
