/**
 * Authorization code with PKCE, without a library: sends the person to the OpenID provider and handles the redirect
 * back.
 */
interface Provider {
  readonly issuer: string;
  readonly clientId: string;
}

interface Discovered {
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
}

const redirectUri = `${location.origin}/callback`;

const encode = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const random = (): string => encode(crypto.getRandomValues(new Uint8Array(32)));

async function discover({ issuer }: Provider): Promise<Discovered> {
  return (await fetch(`${issuer}/.well-known/openid-configuration`)).json() as Promise<Discovered>;
}

/** Leaves this page. */
export async function beginLogin(provider: Provider): Promise<void> {
  const { authorization_endpoint: endpoint } = await discover(provider);
  const [verifier, state, nonce] = [random(), random(), random()];
  sessionStorage.setItem('login', JSON.stringify({ verifier, state, nonce }));
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const query = new URLSearchParams({
    client_id: provider.clientId,
    response_type: 'code',
    scope: 'openid email profile',
    redirect_uri: redirectUri,
    state,
    nonce,
    code_challenge: encode(new Uint8Array(hash)),
    code_challenge_method: 'S256',
  });
  location.assign(`${endpoint}?${query}`);
}

/** The ID token, if the provider has just sent the person back; undefined otherwise. */
export async function finishLogin(provider: Provider): Promise<string | undefined> {
  const query = new URLSearchParams(location.search);
  if (location.pathname !== '/callback') return undefined;
  const begun = JSON.parse(sessionStorage.getItem('login') ?? '{}') as { verifier?: string; state?: string };
  sessionStorage.removeItem('login');
  history.replaceState(null, '', '/');
  const code = query.get('code');
  // Another person's link must not log this person in.
  if (!code || !begun.verifier || query.get('state') !== begun.state) throw new Error('The login was not completed.');
  const { token_endpoint: endpoint } = await discover(provider);
  const answer = await fetch(endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: provider.clientId,
      redirect_uri: redirectUri,
      code_verifier: begun.verifier,
      code,
    }),
  });
  if (!answer.ok) throw new Error('The provider refused the login.');
  return ((await answer.json()) as { id_token: string }).id_token;
}
