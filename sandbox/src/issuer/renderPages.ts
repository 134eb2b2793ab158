import { createPages, escapeHtml } from '../createPages.ts';
import type { Person } from './accounts.ts';

const pages = createPages(`
form { margin: 0; }
main > :last-child { margin-bottom: 0; }
body { min-height: 100vh; min-height: 100dvh; display: grid; place-items: center; padding: 1rem; }
main { width: 100%; max-width: 26rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem;
  padding: 1.75rem; box-shadow: 0 1px 2px rgb(0 0 0 / 6%), 0 8px 24px rgb(0 0 0 / 6%); }
h1 { margin: 0 0 .25rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; }
h2 { margin: 1.5rem 0 .5rem; font-size: .875rem; font-weight: 600; color: var(--soft); }
p { margin: 0 0 1rem; color: var(--soft); overflow-wrap: anywhere; }
label { display: block; margin-bottom: .375rem; font-weight: 600; font-size: .9375rem; }
input { width: 100%; min-height: 3rem; padding: 0 .875rem; border: 1px solid var(--line); border-radius: .625rem;
  background: transparent; color: inherit; font: inherit; }
input[aria-invalid] { border-color: var(--bad); }
button { min-height: 3rem; width: 100%; }
button.main { margin-top: .75rem; border: 0; background: var(--accent); color: var(--on-accent); font-weight: 600; }
button.main:hover { filter: brightness(1.08); }
button.quiet { border: 0; color: var(--soft); margin-top: .75rem; }
button.quiet:hover { color: var(--ink); }
ul { gap: .5rem; }
li button { display: flex; justify-content: space-between; align-items: center; gap: .75rem; padding: .5rem .875rem;
  text-align: left; }
li button:hover { border-color: var(--accent); }
li b { font-weight: 600; } li span { color: var(--soft); font-size: .875rem; text-align: right; }
.bad { margin: .5rem 0 0; color: var(--bad); font-size: .9375rem; }
code { display: block; padding: .75rem; border: 1px solid var(--line); border-radius: .625rem; font-size: .8125rem;
  color: var(--ink); overflow-wrap: anywhere; font-family: ui-monospace, Menlo, Consolas, monospace; }
`);

/** Browsers also apply `form-action` to the redirects after a form, so the login form must name the last origin. */
export const securityHeaders = (formTarget?: string): Record<string, string> =>
  pages.headers(formTarget ? `'self' ${new URL(formTarget).origin}` : "'none'");

interface LoginPage {
  readonly path: string;
  readonly people: readonly Person[];
  readonly typed?: string;
  readonly fault?: string;
}

export function renderLoginPage({ path, people, typed = '', fault }: LoginPage): string {
  const invalid = fault ? ' aria-invalid="true" aria-describedby="fault"' : '';
  return pages.render(
    'Log in',
    `<p class="tag">Sandbox</p>
<h1>Log in to Florin</h1>
<p>Log in with any e-mail address, without a password. No real money is involved.</p>
<form method="post" action="${escapeHtml(path)}">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" required maxlength="254" autofocus
 placeholder="you@example.com" value="${escapeHtml(typed)}"${invalid}>
${fault ? `<p class="bad" id="fault" role="alert">${escapeHtml(fault)}</p>` : ''}
<button class="main">Log in</button>
</form>
${people.length === 0 ? '' : renderPeople(path, people)}
<form method="post" action="${escapeHtml(path)}"><button class="quiet" name="cancel" value="yes">Cancel</button></form>`,
  );
}

function renderPeople(path: string, people: readonly Person[]): string {
  const buttons = people.map(
    ({ name, email, about }) =>
      `<li><button name="email" value="${escapeHtml(email)}"><b>${escapeHtml(name)}</b><span>${escapeHtml(about)}</span></button></li>`,
  );
  return `<h2>Or log in as</h2>
<form method="post" action="${escapeHtml(path)}"><ul>
${buttons.join('\n')}
</ul></form>`;
}

/** Shown when the issuer's address is opened in a browser. */
export function renderHomePage(issuerUrl: string): string {
  return pages.render(
    'Sandbox issuer',
    `<p class="tag">Sandbox</p>
<h1>The sandbox’s login</h1>
<p>This is the OpenID issuer of a Florin sandbox. Apps send people here to log in. In a terminal, this command returns an
ID token for any e-mail address:</p>
<code>curl -s "${escapeHtml(issuerUrl)}/id_token?email=dave@example.com"</code>`,
  );
}

export function renderMessagePage(title: string, text: string): string {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return pages.render(
    title,
    `<p class="tag">Sandbox</p>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(sentence)}</p>
<p>Go back to the app and log in again from there.</p>`,
  );
}
