/** The part of oidc-provider that we use; it ships no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export interface Client {
    readonly clientId: string;
  }

  export interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  export interface Context {
    type: string;
    body: unknown;
    set(headers: Record<string, string>): void;
    readonly oidc: {
      readonly provider: Provider;
      readonly client: Client;
      readonly session: { readonly accountId: string };
      readonly result?: { readonly login?: unknown };
    };
  }

  export interface Interaction {
    readonly uid: string;
    readonly params: { readonly redirect_uri: string; readonly login_hint?: string; readonly one_click?: string };
  }

  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    readonly Client: { find(id: string): Promise<Client | undefined> };
    readonly Grant: new (about: {
      clientId: string;
      accountId: string;
    }) => Grant;
    readonly IdToken: new (
      claims: Record<string, unknown>,
      options: { client: Client },
    ) => {
      scope: string;
      set(claim: string, value: unknown): void;
      issue(options: { use: 'idtoken' }): Promise<string>;
    };
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Record<string, unknown>,
      options: { mergeWithLastSubmission: boolean },
    ): Promise<void>;
    on(event: 'server_error', listener: (context: Context, error: Error) => void): this;
  }

  export const interactionPolicy: {
    base(): {
      get(prompt: 'login' | 'consent'): { checks: { add(check: unknown): void; remove(reason: string): void } };
    };
    Check: new (reason: string, description: string, check: (context: Context) => boolean) => unknown;
  };
}
