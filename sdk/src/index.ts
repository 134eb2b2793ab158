/**
 * The client of Florin. Start with `createPersonClient` (an app, for the person who is logged in) or
 * `createServiceClient` (a server with a service key).
 */
export { fromMicros, toMicros } from './amounts.ts';
export type { CallOptions } from './calls.ts';
export { createBrowserStore } from './createBrowserStore.ts';
export { createPersonClient, type PersonClient, type PersonClientOptions } from './createPersonClient.ts';
export { createServiceClient, type ServiceClient, type ServiceClientOptions } from './createServiceClient.ts';
export type { EventsQuery, FlorinEvent } from './events.ts';
export { type ClientCode, type ErrorCode, type FieldFault, FlorinError, type Problem } from './FlorinError.ts';
export type { components as BackendTypes } from './generated/backend.ts';
export type { components as Web3Types } from './generated/web3.ts';
export type { Lock, Session, SessionStore } from './keepSession.ts';
export { newKey } from './newKey.ts';
export type { RetryPolicy } from './retry.ts';
export { isFinal, type Transaction, type WaitOptions } from './waitFor.ts';
export { type VerifyWebhookOptions, webhooks } from './webhooks.ts';
