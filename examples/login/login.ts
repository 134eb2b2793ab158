/** The page: log in, see the balance, pay, log out. */
import { createPersonClient, FlorinError, newKey, type Session } from '@florin/client';
import { beginLogin, finishLogin } from './oidc.ts';

interface Settings {
  readonly backendUrl: string;
  readonly issuer: string;
  readonly clientId: string;
}

const settings = (await (await fetch('/settings.json')).json()) as Settings;
const florin = createPersonClient({
  baseUrl: settings.backendUrl,
  // Readable by every script of this site; a site with scripts of others keeps the session on its own server instead.
  store: {
    load: () => JSON.parse(localStorage.getItem('session') ?? 'null') ?? undefined,
    save: (session: Session | undefined) =>
      session ? localStorage.setItem('session', JSON.stringify(session)) : localStorage.removeItem('session'),
  },
});

const find = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const say = (text: string) => {
  find('note').textContent = text;
};
const explain = (error: unknown) => say(error instanceof FlorinError ? error.detail : String(error));

async function show(): Promise<void> {
  const isIn = (await florin.findSession()) !== undefined;
  find('login').hidden = isIn;
  find('account').hidden = !isIn;
  if (!isIn) return;
  const [{ user }, { balances }] = await Promise.all([florin.me(), florin.overview()]);
  find('name').textContent = user.username ?? user.email;
  find('balance').textContent = balances[0]?.available ?? '0';
}

/** Stored before it is sent: after a reload the same payment is made with the same key, so it is made once. */
interface Intent {
  readonly userId: string;
  readonly key: string;
  readonly to: string;
  readonly amount: string;
}

async function pay(intent: Intent): Promise<void> {
  localStorage.setItem('payment', JSON.stringify(intent));
  try {
    const body = { receiver_username: intent.to, amount: intent.amount };
    const paid = await florin.pay(body, { idempotencyKey: intent.key });
    localStorage.removeItem('payment');
    say(`Paid ${paid.amount} USDC to ${intent.to}.`);
  } catch (error) {
    const isUnknown = error instanceof FlorinError && error.outcomeUnknown;
    if (!isUnknown) localStorage.removeItem('payment');
    explain(error);
  }
  await show();
}

find('login').addEventListener('click', () => beginLogin(settings).catch(explain));
find('logout').addEventListener('click', async () => {
  await florin.logout().catch(explain);
  await show();
});
find<HTMLFormElement>('pay').addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = new FormData(find<HTMLFormElement>('pay'));
  const session = await florin.findSession();
  if (!session) return;
  const [to, amount] = [String(form.get('to')), String(form.get('amount'))];
  await pay({ userId: session.userId, key: newKey(), to, amount }).catch(explain);
});

try {
  const idToken = await finishLogin(settings);
  if (idToken !== undefined) await florin.login(idToken);
  await show();
  const unfinished = JSON.parse(localStorage.getItem('payment') ?? 'null') as Intent | null;
  // Of whoever began it, and of nobody who logs in after them.
  if (unfinished && unfinished.userId === (await florin.findSession())?.userId) await pay(unfinished);
} catch (error) {
  explain(error);
  await show();
}
