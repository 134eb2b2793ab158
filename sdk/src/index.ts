/** The client of Florin. Start with `createClient`. */
export { fromMicros, toMicros } from './amounts.ts';
export type { Answered, CallName, CallOptions, CsvFile, CsvOptions, LastResponse } from './calls.ts';
export type { ClientOptions, MakeCall } from './client/connect.ts';
export { createClient, type FlorinClient } from './client/createClient.ts';
export { createBrowserStore } from './createBrowserStore.ts';
export type { AppInfo } from './describeAgent.ts';
export type { EventsQuery } from './events.ts';
export { type ClientCode, type ErrorCode, type FieldFault, FlorinError, type Problem } from './FlorinError.ts';
export type { components as BackendTypes } from './generated/backend.ts';
export type { components as Web3Types } from './generated/web3.ts';
export type { Lock, Session, SessionStore } from './keepSession.ts';
export type { FlorinEvent, WebhookMessage } from './messages.ts';
export { newKey } from './newKey.ts';
export type { List } from './pages.ts';
export type { RetryPolicy } from './retry.ts';
export { isFinal, type Transaction, type WaitOptions } from './waitFor.ts';
export { type SignedWebhook, type SignWebhookOptions, type VerifyWebhookOptions, webhooks } from './webhooks.ts';
