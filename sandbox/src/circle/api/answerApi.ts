import type { Double } from '../double.ts';
import { listTokenBalances, listWalletsWithBalances, readToken, requestCoins } from './balanceCalls.ts';
import type { Call } from './call.ts';
import { accelerate, cancel } from './changeCalls.ts';
import { checkEntitySecret, renderPublicKey } from './entitySecret.ts';
import { estimateExecution, estimateTransfer, readFeeParameters, readLowestNonce } from './feeCalls.ts';
import type { Idempotency } from './idempotency.ts';
import type { LimitName, Limits } from './limits.ts';
import {
  createSubscription,
  deleteSubscription,
  listSubscriptions,
  readNotificationKey,
  readSubscription,
  updateSubscription,
} from './notificationCalls.ts';
import { listTransactions, readTransaction } from './readTransactions.ts';
import { Refusal } from './refusal.ts';
import { signMessage, signTransaction, signTypedData } from './signCalls.ts';
import { createTransfer, executeContract, validateAddress } from './transferCalls.ts';
import {
  createWalletSet,
  createWallets,
  deriveWallet,
  deriveWalletByAddress,
  listWalletSets,
  listWallets,
  readWallet,
  readWalletSet,
  updateWallet,
  updateWalletSet,
} from './walletCalls.ts';

export interface ApiAnswer {
  readonly status: number;
  /** Undefined: an empty body. */
  readonly body?: unknown;
}

/** Returns the content of `data`. */
type Handler = (double: Double, call: Call) => unknown;

interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly handler: Handler;
  /** The request carries the entity secret. */
  readonly hasSecret?: boolean;
  /** The request carries an idempotency key. */
  readonly hasKey?: boolean;
  readonly limit?: LimitName;
}

const CHANGE = { hasSecret: true, hasKey: true };
const SIGN = { hasSecret: true, limit: 'sign' } as const;
const W3S = '/v1/w3s';
const at = (path: string): RegExp => new RegExp(`^${path.replaceAll('*', '([^/]+)')}$`);
const route = (method: string, path: string, handler: Handler, rest: Partial<Route> = {}): Route => ({
  method,
  path: at(path),
  handler,
  ...rest,
});

const ROUTES: readonly Route[] = [
  route('GET', `${W3S}/config/entity/publicKey`, ({ secrets }) => ({ publicKey: renderPublicKey(secrets) })),
  route('GET', `${W3S}/config/entity`, ({ secrets }) => ({ appId: secrets.apiKey.split(':')[1] })),
  route('POST', `${W3S}/config/entity/entitySecret`, () => {
    throw new Refusal(409, 156015, 'the entity secret has been set already');
  }),
  route('POST', `${W3S}/developer/walletSets`, createWalletSet, CHANGE),
  route('PUT', `${W3S}/developer/walletSets/*`, updateWalletSet),
  route('GET', `${W3S}/walletSets`, listWalletSets),
  route('GET', `${W3S}/walletSets/*`, readWalletSet),
  route('POST', `${W3S}/developer/wallets`, createWallets, { ...CHANGE, limit: 'wallets' }),
  route('GET', `${W3S}/developer/wallets/balances`, listWalletsWithBalances),
  route('PUT', `${W3S}/developer/wallets/derive`, deriveWalletByAddress, { limit: 'derive' }),
  route('PUT', `${W3S}/developer/wallets/*/blockchains/*`, deriveWallet, { limit: 'derive' }),
  route('GET', `${W3S}/wallets`, listWallets),
  route('GET', `${W3S}/wallets/*`, readWallet),
  route('PUT', `${W3S}/wallets/*`, updateWallet),
  route('GET', `${W3S}/wallets/*/balances`, listTokenBalances),
  route('GET', `${W3S}/wallets/*/nfts`, () => ({ nfts: [] })),
  route('GET', `${W3S}/tokens/*`, readToken),
  route('POST', `${W3S}/developer/transactions/transfer`, createTransfer, CHANGE),
  route('POST', `${W3S}/developer/transactions/contractExecution`, executeContract, CHANGE),
  route('POST', `${W3S}/developer/transactions/*/accelerate`, accelerate, CHANGE),
  route('POST', `${W3S}/developer/transactions/*/cancel`, cancel, CHANGE),
  route('GET', `${W3S}/developer/transactions/feeParameters`, readFeeParameters),
  route('POST', `${W3S}/transactions/transfer/estimateFee`, estimateTransfer, { limit: 'estimate' }),
  route('POST', `${W3S}/transactions/contractExecution/estimateFee`, estimateExecution, { limit: 'estimate' }),
  route('POST', `${W3S}/transactions/validateAddress`, validateAddress),
  route('GET', `${W3S}/transactions/lowestNonceTransaction`, readLowestNonce),
  route('GET', `${W3S}/transactions`, listTransactions),
  route('GET', `${W3S}/transactions/*`, readTransaction),
  route('POST', `${W3S}/developer/sign/message`, signMessage, SIGN),
  route('POST', `${W3S}/developer/sign/typedData`, signTypedData, SIGN),
  route('POST', `${W3S}/developer/sign/transaction`, signTransaction, SIGN),
  route('POST', '/v1/faucet/drips', requestCoins),
  route('POST', '/v2/notifications/subscriptions', createSubscription),
  route('GET', '/v2/notifications/subscriptions', listSubscriptions),
  route('GET', '/v2/notifications/subscriptions/*', readSubscription),
  route('PATCH', '/v2/notifications/subscriptions/*', updateSubscription),
  route('DELETE', '/v2/notifications/subscriptions/*', deleteSubscription),
  route('GET', '/v2/notifications/publicKey/*', readNotificationKey),
];

export interface Api {
  readonly double: Double;
  readonly limits: Limits;
  readonly idempotency: Idempotency;
}

interface ApiRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: Buffer;
}

/** The API key was already checked. */
export async function answerApi(api: Api, { method, url, body }: ApiRequest): Promise<ApiAnswer> {
  try {
    // A client whose base URL ends with a slash asks for //v1/…
    const path = url.pathname.replace(/^\/+/, '/');
    const found = ROUTES.find((one) => one.method === method && one.path.test(path));
    if (!found) throw new Refusal(404, 404, 'Resource not found');
    const { switches } = api.double;
    if (switches.limits && !api.limits.take(found.limit ?? (method === 'GET' ? 'get' : 'post'))) return TOO_MANY;
    const ids = found.path.exec(path)!.slice(1).map(decodeURIComponent);
    const call: Call = { method, path, query: url.searchParams, body: method === 'GET' ? {} : readJson(body), ids };
    const { status, data } = await run(api, found, call);
    return data === undefined ? { status } : { status, body: { data } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, code, message, errors } = error;
    return { status, body: { code, message, ...(errors && { errors }) } };
  }
}

export const TOO_MANY: ApiAnswer = { status: 429, body: { code: 429, message: 'Too many requests' } };

async function run({ double, idempotency }: Api, { handler, hasSecret, hasKey }: Route, call: Call) {
  if (hasSecret) checkEntitySecret(double.store, double.secrets, call.body.entitySecretCiphertext);
  const work = async () => {
    const data = await handler(double, call);
    return { status: data === undefined ? 204 : call.method === 'POST' ? 201 : 200, data };
  };
  return hasKey ? idempotency.once(call, work) : work();
}

function readJson(body: Buffer): Record<string, unknown> {
  if (body.length === 0) return {};
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Answered below, like any body that is not an object.
  }
  throw new Refusal(400, 2, 'the body is not a JSON object');
}
