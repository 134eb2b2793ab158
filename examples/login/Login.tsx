/** The page: log in, see the balance as it changes, pay once, log out. */
import { createBrowserStore, createClient, FlorinError, newKey } from '@florin/client';
import { type FormEvent, StrictMode, useCallback, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { beginLogin, finishLogin } from './oidc.ts';

interface Settings {
  readonly backendUrl: string;
  readonly issuer: string;
  readonly clientId: string;
}

/** Stored before it is sent: after a reload, the same payment is repeated with the same key, so it is made once. */
interface Intent {
  readonly userId: string;
  readonly key: string;
  readonly to: string;
  readonly amount: string;
}

interface Account {
  readonly name: string;
  readonly balance: string;
}

const settings = (await (await fetch('/settings.json')).json()) as Settings;
const florin = createClient({
  backendUrl: settings.backendUrl,
  // Readable by every script of this site. A site with third-party scripts should keep the session on its own server
  // instead.
  store: createBrowserStore(settings.backendUrl),
});

const RETRY_MS = 3_000;

const explain = (error: unknown): string => (error instanceof FlorinError ? error.detail : String(error));

/** Undefined: no one is logged in. */
async function readAccount(): Promise<Account | undefined> {
  if ((await florin.findSession()) === undefined) return undefined;
  const [{ user }, { balances }] = await Promise.all([florin.me(), florin.overview()]);
  return { name: user.username ?? user.email ?? '', balance: balances[0]?.available ?? '0' };
}

/** The message about the result. */
async function pay(intent: Intent): Promise<string> {
  localStorage.setItem('payment', JSON.stringify(intent));
  try {
    const body = { receiver_username: intent.to, amount: intent.amount };
    const paid = await florin.pay(body, { idempotencyKey: intent.key });
    localStorage.removeItem('payment');
    return `Paid ${paid.amount} USDC to ${intent.to}.`;
  } catch (error) {
    const isUnknown = error instanceof FlorinError && error.outcomeUnknown;
    if (!isUnknown) localStorage.removeItem('payment');
    return explain(error);
  }
}

/** Continues a payment that the same person began before a reload; never a payment of another person. */
async function payUnfinished(): Promise<string> {
  const unfinished = JSON.parse(localStorage.getItem('payment') ?? 'null') as Intent | null;
  const isOurs = unfinished && unfinished.userId === (await florin.findSession())?.userId;
  return isOurs ? pay(unfinished) : '';
}

function Login({ note: firstNote }: { readonly note: string }) {
  const [account, setAccount] = useState<Account>();
  const [isLoading, setLoading] = useState(true);
  const [note, setNote] = useState(firstNote);
  const name = account?.name;

  const show = useCallback(async () => {
    try {
      setAccount(await readAccount());
    } catch (error) {
      setNote(explain(error));
      // The service may be unavailable for a moment.
      setTimeout(show, RETRY_MS);
    }
    setLoading(false);
  }, []);
  useEffect(() => void show(), [show]);

  // Shows every change of the account, including changes from another app.
  useEffect(() => {
    if (name === undefined) return;
    const leaving = new AbortController();
    const follow = async () => {
      for await (const _ of florin.events({}, { signal: leaving.signal })) await show();
    };
    // If the session has ended, the next call reports it.
    follow().catch(() => {});
    return () => leaving.abort();
  }, [name, show]);

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const session = await florin.findSession();
    if (!session) return;
    const [to, amount] = [String(form.get('to')), String(form.get('amount'))];
    setNote(await pay({ userId: session.userId, key: newKey(), to, amount }));
    await show();
  }

  async function logOut(): Promise<void> {
    await florin.logout().catch((error: unknown) => setNote(explain(error)));
    await show();
  }

  return (
    <main>
      <h1>Log in with Florin</h1>
      {!account && !isLoading && (
        <button type="button" onClick={() => beginLogin(settings).catch((error) => setNote(explain(error)))}>
          Log in
        </button>
      )}
      {account && (
        <section>
          <p>
            <strong>{account.name}</strong> has <output>{account.balance}</output> USDC
          </p>
          <form onSubmit={submit}>
            <label>
              To <input name="to" required />
            </label>
            <label>
              USDC <input name="amount" required inputMode="decimal" />
            </label>
            <button type="submit">Pay</button>
          </form>
          <button type="button" onClick={logOut}>
            Log out
          </button>
        </section>
      )}
      <p role="status">{note}</p>
    </main>
  );
}

/** Runs before anything is shown: an ID token is valid for one login. */
async function enter(): Promise<string> {
  try {
    const idToken = await finishLogin(settings);
    if (idToken !== undefined) await florin.login(idToken);
    return await payUnfinished();
  } catch (error) {
    return explain(error);
  }
}

const note = await enter();
createRoot(document.getElementById('page')!).render(
  <StrictMode>
    <Login note={note} />
  </StrictMode>,
);
