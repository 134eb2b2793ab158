import { randomBytes } from 'node:crypto';
import type { JWK } from 'jose';
import type { Context, Provider } from 'oidc-provider';
import type { Accounts } from './accounts.ts';
import { renderMessagePage, securityHeaders } from './renderPages.ts';

export const CLIENT_ID = 'florin-wallet';
/** The operator console, whose tokens the wallet does not accept, nor the other way round. */
export const CONSOLE_CLIENT_ID = 'florin-console';
export const SCOPES = 'openid email profile';
const HALF_DAY_SECONDS = 12 * 3600;
const LOOPBACK_ORIGIN = /^http:\/\/(127\.0\.0\.1|(?:wallet\.)?localhost|\[::1\]):\d+$/;

interface ProviderOptions {
  readonly issuerUrl: string;
  readonly key: JWK;
  readonly redirectUris: readonly string[];
  readonly consoleRedirectUris: readonly string[];
  readonly accounts: Accounts;
}

/** A certified OpenID provider with two public clients: only authorization code with PKCE. */
export async function createProvider(options: ProviderOptions): Promise<Provider> {
  return withoutNotices(async () => {
    const { Provider, interactionPolicy } = await import('oidc-provider');
    const policy = interactionPolicy.base();
    // In a sandbox one person plays many users, so every login asks for the user again.
    policy
      .get('login')
      .checks.add(
        new interactionPolicy.Check('always_ask', 'the sandbox always asks', (context) => !context.oidc.result?.login),
      );
    // Native apps would ask for consent each time; the sandbox's wallet never does.
    policy.get('consent').checks.remove('native_client_prompt');
    const provider = new Provider(options.issuerUrl, {
      ...configure(options),
      interactions: { policy, url: interactionPath },
    });
    allowNamedHosts(
      provider,
      options.redirectUris.filter((uri) => !isLoopback(uri)),
    );
    return provider;
  });
}

const isLoopback = (uri: string): boolean => ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(uri).hostname);

/** The library registers no other host names of this machine for native apps, such as `wallet.localhost`. */
function allowNamedHosts(provider: Provider, uris: readonly string[]): void {
  // Its type does not say that it is a class.
  const { prototype } = provider.Client as unknown as { prototype: { redirectUriAllowed(uri: string): boolean } };
  const usual = prototype.redirectUriAllowed;
  prototype.redirectUriAllowed = function (this: { readonly clientId?: string }, uri: string): boolean {
    return (this.clientId === CLIENT_ID && uris.includes(uri)) || usual.call(this as never, uri);
  };
}

const interactionPath = (_: Context, interaction: { uid: string }) => `/interaction/${interaction.uid}`;

function configure({ key, redirectUris, consoleRedirectUris, accounts }: ProviderOptions): Record<string, unknown> {
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        client_name: 'Florin wallet',
        // The port of native apps is not compared (RFC 8252), so examples on other ports can log in too.
        application_type: 'native',
        redirect_uris: redirectUris.filter(isLoopback),
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'none',
        id_token_signed_response_alg: 'ES256',
        require_auth_time: true,
      },
      {
        client_id: CONSOLE_CLIENT_ID,
        client_name: 'Florin console',
        redirect_uris: consoleRedirectUris,
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'none',
        id_token_signed_response_alg: 'ES256',
        require_auth_time: true,
      },
    ],
    jwks: { keys: [key] },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    clientAuthMethods: ['none'],
    responseTypes: ['code'],
    scopes: SCOPES.split(' '),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], auth_time: null, iss: null },
    // The e-mail must be in the ID token: the server gets nothing else.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    findAccount: (_: unknown, accountId: string) => accounts.find(accountId),
    loadExistingGrant: grantEverything,
    clientBasedCORS: (_: unknown, origin: string) => LOOPBACK_ORIGIN.test(origin),
    // A `login_hint` logs that person in without asking.
    extraParams: ['one_click'],
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: false },
    },
    ttl: {
      AccessToken: 3600,
      AuthorizationCode: 60,
      Grant: HALF_DAY_SECONDS,
      IdToken: HALF_DAY_SECONDS,
      Interaction: 3600,
      Session: HALF_DAY_SECONDS,
    },
    renderError: (context: Context, out: { error: string; error_description?: string }) => {
      context.type = 'html';
      context.set(securityHeaders());
      context.body = renderMessagePage('This login cannot continue', `${out.error_description ?? out.error}.`);
    },
  };
}

/** No consent page: the sandbox's own wallet may see the e-mail address that was just typed. */
async function grantEverything({ oidc }: Context) {
  const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
  grant.addOIDCScope(SCOPES);
  await grant.save();
  return grant;
}

/** Hides its warnings about the memory store and Node 20; the sandbox uses both on purpose. */
async function withoutNotices<T>(work: () => Promise<T>): Promise<T> {
  const { warn, info } = console;
  const unless =
    (print: typeof warn) =>
    (text?: unknown, ...rest: unknown[]) => {
      if (!String(text).includes('oidc-provider ')) print(text, ...rest);
    };
  Object.assign(console, { warn: unless(warn), info: unless(info) });
  try {
    return await work();
  } finally {
    Object.assign(console, { warn, info });
  }
}
