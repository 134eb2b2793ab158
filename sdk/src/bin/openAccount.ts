import { type CallName, type CallOptions, calls, type Input } from '../calls.ts';
import type { MakeCall } from '../client/connect.ts';
import { openTransport } from '../openTransport.ts';

/** Calls of the Backend API with one credential, whatever its kind: the service decides what it may do. */
export interface Account {
  readonly call: MakeCall;
  readonly backendUrl: string;
  /** Only to derive secrets that belong to it. */
  readonly key: string;
}

export function openAccount(backendUrl: string, key: string): Account {
  const transport = openTransport(backendUrl, { appInfo: { name: 'florin-client-cli' } });
  const credentials = { getToken: async () => key, renew: async () => false };
  const call = (name: CallName, input: Input, given?: CallOptions) =>
    transport.call(calls[name], input, given, credentials);
  return { call: call as MakeCall, backendUrl: backendUrl.replace(/\/+$/, ''), key };
}
