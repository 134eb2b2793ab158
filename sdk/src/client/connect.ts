/** Connects both APIs: each call goes to the API of its operation, with the credential that the operation takes. */
import {
  type Answered,
  type Call,
  type CallAnswer,
  type CallInput,
  type CallName,
  type CallOptions,
  type CsvCall,
  type CsvFile,
  type CsvOptions,
  calls,
  type Input,
} from '../calls.ts';
import { FlorinError } from '../FlorinError.ts';
import { web3Calls } from '../generated/calls.ts';
import { type KeptSession, keepSession, type Lock, type SessionStore, type Tokens } from '../keepSession.ts';
import { type Credentials, openTransport, type Transport, type TransportOptions } from '../openTransport.ts';

export interface ClientOptions extends TransportOptions {
  /** The URL of the Backend API: people, events, webhooks, payouts. */
  readonly backendUrl?: string | undefined;
  /** The URL of the Web3 API: wallets and payments to addresses. */
  readonly web3Url?: string | undefined;
  /** `fsk_…` with scopes of the Backend API: `events`, `webhooks`, `payouts`. */
  readonly backendKey?: string | undefined;
  /**
   * `fak_…`: a key of one account, instead of a session of its owner and of a `backendKey`. `userId` is the owner, which paying
   * and `limits` need.
   */
  readonly accountKey?: string | undefined;
  readonly userId?: string | undefined;
  /** `fsk_…` with scopes of the Web3 API: `read`, `send`. The sandbox needs none. */
  readonly web3Key?: string | undefined;
  /** Where a person's session is stored across reloads. Default: in memory only. */
  readonly store?: SessionStore | undefined;
  /**
   * Prevents concurrent refreshes by users of the same store. Default: the browser's locks, which all tabs of a site
   * share, if they exist; otherwise none, which is right for a store that only one process uses.
   */
  readonly lock?: Lock | undefined;
}

/** Makes any call by its operation id. */
export interface MakeCall {
  <Name extends CsvCall>(name: Name, input: CallInput<Name>, given: CsvOptions): Promise<Answered<CsvFile>>;
  <Name extends CallName>(name: Name, input: CallInput<Name>, given?: CallOptions): Promise<CallAnswer<Name>>;
}

/** A refresh can be repeated only within a minute; a later repetition would end the session. */
const REFRESH_TOTAL_MS = 40_000;
const REFRESH_TIMEOUT_MS = 10_000;

export interface Connection {
  readonly call: MakeCall;
  /** The same without types. */
  readonly send: (name: CallName, input: Input, given?: CallOptions) => Promise<unknown>;
  readonly session: KeptSession;
  readonly options: ClientOptions;
}

export function connect(options: ClientOptions): Connection {
  const { backendUrl, web3Url, accountKey, web3Key, timeoutMs = REFRESH_TIMEOUT_MS } = options;
  const backendKey = options.backendKey ?? accountKey;
  if (backendUrl === undefined && web3Url === undefined) throw lack('backendUrl or web3Url', 'every call');
  const backend = backendUrl === undefined ? undefined : openTransport(backendUrl, options);
  const web3 = web3Url === undefined ? undefined : openTransport(web3Url, options);

  const session = keepSession({
    store: options.store,
    lock: options.lock ?? findLock(backendUrl ?? ''),
    exchange: async (refreshToken, idempotencyKey) => {
      const retry = { ...options.retry, totalMs: REFRESH_TOTAL_MS };
      const given = { idempotencyKey, timeoutMs: Math.min(timeoutMs, REFRESH_TIMEOUT_MS), retry };
      const answer = await send('refresh_session', { body: { refresh_token: refreshToken } }, given);
      return answer as Tokens;
    },
  });

  function findTransport(name: CallName): Transport {
    const isWeb3 = name in web3Calls;
    const found = isWeb3 ? web3 : backend;
    if (!found) throw lack(isWeb3 ? 'web3Url' : 'backendUrl', name);
    return found;
  }

  function findCredentials(name: CallName, { credential }: Call): Credentials | undefined {
    if (name in web3Calls) return web3Key === undefined ? undefined : holdKey(web3Key);
    if (credential === 'key' && backendKey === undefined) throw lack('backendKey', name);
    if (credential === 'key' || (credential === 'either' && backendKey !== undefined)) return holdKey(backendKey!);
    if (credential === undefined) return undefined;
    return accountKey === undefined ? session : holdKey(accountKey);
  }

  async function send(name: CallName, input: Input, given?: CallOptions): Promise<unknown> {
    if (!Object.hasOwn(calls, name))
      throw new FlorinError({ code: 'request.invalid', title: 'No such operation', detail: `${name} is unknown.` });
    const call: Call = calls[name];
    return findTransport(name).call(call, input, given, findCredentials(name, call));
  }

  return { call: send as MakeCall, send, session, options };
}

const holdKey = (key: string): Credentials => ({ getToken: async () => key, renew: async () => false });

export const lack = (option: string, call: string): FlorinError =>
  new FlorinError({
    code: 'client.misconfigured',
    title: 'The client lacks an option',
    detail: `Pass ${option} to createClient: ${call} needs it.`,
  });

interface LockManager {
  request<T>(name: string, work: () => Promise<T>): Promise<T>;
}

function findLock(backendUrl: string): Lock {
  const { locks } = (globalThis as { navigator?: { locks?: LockManager } }).navigator ?? {};
  return locks ? (work) => locks.request(`florin-session ${backendUrl}`, work) : (work) => work();
}
