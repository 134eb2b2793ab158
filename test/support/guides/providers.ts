/**
 * Doubles of identity providers' scripts for web pages, in the shape that the guides use. Their ID tokens come from the
 * sandbox's own issuer, whose address is `GUIDE_ISSUER`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TOKEN =
  "fetch(process.env.GUIDE_ISSUER + '/id_token?email=alice@florin.example').then((answer) => answer.text())";

const PACKAGES: Readonly<Record<string, { readonly part: string; readonly js: string; readonly types: string }>> = {
  firebase: {
    part: './auth',
    js: `
      export const getAuth = () => ({ name: 'app' });
      export class GoogleAuthProvider {}
      export const signInWithPopup = async () => ({ user: { getIdToken: () => ${TOKEN} } });
`,
    types: `
      export interface Auth { readonly name: string }
      export interface User { getIdToken(forceRefresh?: boolean): Promise<string> }
      export declare function getAuth(): Auth;
      export declare class GoogleAuthProvider { private readonly kind: 'google.com' }
      export declare function signInWithPopup(auth: Auth, provider: GoogleAuthProvider): Promise<{ user: User }>;
`,
  },
  '@auth0/auth0-spa-js': {
    part: '.',
    js: `
      export const createAuth0Client = async () => ({
  loginWithPopup: async () => {},
  getIdTokenClaims: async () => ({ __raw: await ${TOKEN} }),
});
`,
    types: `
      export interface Auth0Client {
  loginWithPopup(): Promise<void>;
  getIdTokenClaims(): Promise<{ readonly __raw: string } | undefined>;
}
      export declare function createAuth0Client(options: { domain: string; clientId: string }): Promise<Auth0Client>;
`,
  },
};

/** Types of the globals that Google's script adds to a page. */
export const GOOGLE_TYPES = `interface CredentialResponse { readonly credential: string }
declare const google: {
  readonly accounts: {
    readonly id: {
      initialize(options: { client_id: string; callback: (response: CredentialResponse) => void }): void;
      prompt(): void;
    };
  };
};
`;
export const GOOGLE = `globalThis.answered = Promise.resolve();
globalThis.google = { accounts: { id: {
  initialize({ callback }) { this.callback = callback; },
  prompt() { globalThis.answered = ${TOKEN}.then((credential) => this.callback({ credential })); },
} } };
`;

export function installProviders(folder: string): void {
  for (const [name, { part, js, types }] of Object.entries(PACKAGES)) {
    const place = join(folder, 'node_modules', name);
    mkdirSync(place, { recursive: true });
    const exports = { [part]: { types: './index.d.ts', default: './index.js' } };
    writeFileSync(join(place, 'package.json'), JSON.stringify({ name, type: 'module', exports }));
    writeFileSync(join(place, 'index.js'), js);
    writeFileSync(join(place, 'index.d.ts'), types);
  }
}
