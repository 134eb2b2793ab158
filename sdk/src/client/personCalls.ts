/** What an app does for the person who is logged in: the Backend API with that person's session. */
import type { CallInput, CallOptions, CallQuery } from '../calls.ts';
import { FlorinError } from '../FlorinError.ts';
import type { components } from '../generated/backend.ts';
import type { Session } from '../keepSession.ts';
import { listItems } from '../pages.ts';
import { type Transaction, type WaitOptions, waitForEnd } from '../waitFor.ts';
import { type Connection, lack } from './connect.ts';

type Schemas = components['schemas'];

export function personCalls({ call, session, options }: Connection) {
  const ownId = async (): Promise<string> => {
    if (options.accountKey === undefined) return (await session.getSession()).userId;
    if (options.userId === undefined) throw lack('userId', 'this call with an accountKey');
    return options.userId;
  };

  async function ownName(given?: CallOptions): Promise<string> {
    const { username } = (await call('read_me', {}, given)).user;
    if (username === null) throw new FlorinError({ code: 'username.needed', title: 'A username is needed' });
    return username;
  }

  /** An ID token is valid for one login, so a login is repeated only if the attempt was certainly not carried out. */
  async function login(idToken: string, given?: CallOptions) {
    const answer = await call('login', { body: { id_token: idToken } }, given);
    const { user, ...tokens } = answer;
    await session.begin(user.user_id, tokens);
    return answer;
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

  type HistoryQuery = CallQuery<'latest_transactions_by_username'>;
  /** The name is read once, for the first page. */
  function historyPages(query: HistoryQuery, given: CallOptions | undefined) {
    let name: string | undefined;
    return async (cursor: string | undefined): Promise<CallInput<'latest_transactions_by_username'>> => {
      name ??= await ownName(given);
      return { path: { username: name }, query: { ...query, ...(cursor !== undefined && { cursor }) } };
    };
  }

  return {
    login,
    logout,
    /** The person who is logged in here; undefined: no one. */
    findSession: (): Promise<Session | undefined> => session.findSession(),
    me: (given?: CallOptions) => call('read_me', {}, given),
    changeSettings: (settings: Schemas['SettingsChange'], given?: CallOptions) =>
      call('change_me', { body: settings }, given),
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
    /** What became of a payment whose answer was lost: nothing is paid. */
    findPayment: (idempotencyKey: string, given?: CallOptions) =>
      call('find_keyed_payment', { query: { idempotency_key: idempotencyKey } }, given),
    cancelTransaction: (transactionId: string, given?: CallOptions) =>
      call('cancel_transaction', { path: { transaction_id: transactionId } }, given),
    /** Returns the payment when it has ended; check its `state`. */
    waitFor: ({ transaction_id: id }: Pick<Transaction, 'transaction_id'>, given: WaitOptions = {}) =>
      waitForEnd(() => getTransaction(id, given), given),

    /** Payments of this person, newest first. `limit` of the query is the page size, not the total. */
    history: (query: HistoryQuery = {}, given?: CallOptions) => {
      const inputOf = historyPages(query, given);
      return listItems(async (cursor) => {
        const page = await call('latest_transactions_by_username', await inputOf(cursor), given);
        return { items: page.transactions, next: page.next_cursor };
      }, query.cursor);
    },
    /** The same as a statement in CSV, piece by piece: append each to a file. Only the first has the header line. */
    historyCsv: (query: HistoryQuery = {}, given?: CallOptions): AsyncIterable<string> => {
      const inputOf = historyPages(query, given);
      return listItems(async (cursor) => {
        const page = await call('latest_transactions_by_username', await inputOf(cursor), { ...given, as: 'csv' });
        const isFirst = cursor === query.cursor;
        return { items: [isFirst ? page.text : page.text.replace(/^[^\n]*\n/, '')], next: page.next };
      }, query.cursor);
    },
    /** The people and addresses that this person has paid. */
    recipients: (query: CallQuery<'list_my_recipients'> = {}, given?: CallOptions) =>
      listItems(async (cursor) => {
        const asked = { query: { ...query, ...(cursor !== undefined && { cursor }) } };
        const page = await call('list_my_recipients', asked, given);
        return { items: page.recipients, next: page.next_cursor };
      }, query.cursor),

    checkUsername: (username: string, given?: CallOptions) => call('check_username', { path: { username } }, given),
    /** Whether an address belongs to a customer, who is paid immediately by username. */
    findAddress: (address: string, given?: CallOptions) => call('find_address', { path: { address } }, given),
    /** A username that its owner has made public. Needs no session. */
    findPublicName: (username: string, given?: CallOptions) => call('find_public_name', { path: { username } }, given),
    setUsername: async (username: string, given?: CallOptions) =>
      call('set_username', { body: { user_id: await ownId(), username } }, given),

    /** Money requests, sent and received. */
    requests: {
      ask: (request: Schemas['AskForMoney'], given?: CallOptions) => call('ask_for_money', { body: request }, given),
      list: (query: CallQuery<'list_requests'> = {}, given?: CallOptions) =>
        listItems(async (cursor) => {
          const asked = { query: { ...query, ...(cursor !== undefined && { cursor }) } };
          const page = await call('list_requests', asked, given);
          return { items: page.requests, next: page.next_cursor };
        }, query.cursor),
      get: (requestId: string, given?: CallOptions) => call('get_request', { path: { request_id: requestId } }, given),
      /** A request by link, as anyone sees it. Needs no session. */
      getPublic: (requestId: string, given?: CallOptions) =>
        call('find_public_request', { path: { request_id: requestId } }, given),
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
      /** Ends all of them, this one included, and every key of the account. */
      endAll: (given?: CallOptions) => call('end_all_sessions', {}, given),
    },

    /** Keys that act for this person's account only. */
    keys: {
      /** Needs a login within the last five minutes. Only this answer contains the key. */
      create: (key: Schemas['NewAccountKey'], given?: CallOptions) => call('create_account_key', { body: key }, given),
      list: async (given?: CallOptions) => (await call('list_account_keys', {}, given)).keys,
      revoke: (keyId: string, given?: CallOptions) => call('revoke_account_key', { path: { key_id: keyId } }, given),
    },

    /** Passkeys, with which the person confirms payments above an amount. The wallet's page talks to the device. */
    passkeys: {
      list: (given?: CallOptions) => call('list_passkeys', {}, given),
      /** `options` are for `navigator.credentials`. */
      challenge: (deed: Schemas['PasskeyDeed'], given?: CallOptions) =>
        call('create_passkey_challenge', { body: deed }, given),
      /** Then the deed is allowed once, for five minutes: repeat the call that was refused. */
      prove: (proof: Schemas['PasskeyProof'], given?: CallOptions) => call('prove_passkey', { body: proof }, given),
      add: (passkey: Schemas['NewPasskey'], given?: CallOptions) => call('add_passkey', { body: passkey }, given),
      remove: (passkeyId: string, given?: CallOptions) =>
        call('remove_passkey', { path: { passkey_id: passkeyId } }, given),
      /** Without `ask_above`, payments need no passkey. */
      setRule: (rule: Schemas['PasskeyRule'], given?: CallOptions) => call('set_passkey_rule', { body: rule }, given),
      /** Stops the removal of all passkeys by an operator. */
      keep: (given?: CallOptions) => call('keep_passkeys', {}, given),
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
