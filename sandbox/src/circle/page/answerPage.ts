import type { IncomingHttpHeaders } from 'node:http';
import { readBalances } from '../api/balanceCalls.ts';
import type { Double } from '../double.ts';
import type { SentWebhook } from '../sendNotifications.ts';
import { findToken } from '../tokens.ts';
import { pageHeaders, renderMessage, renderPage } from './renderPage.ts';
import { findButton } from './switchButtons.ts';

interface Page {
  readonly double: Double;
  readonly control: { turn(change: object): void };
  readonly sent: readonly SentWebhook[];
}

interface PageCall {
  readonly method: string;
  readonly url: URL;
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
}

interface PageAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly html: string;
}

/** The number of newest entries shown of each kind. */
const SHOWN = 50;

const message = (status: number, title: string, text: string): PageAnswer => ({
  status,
  headers: pageHeaders(),
  html: renderMessage(title, text),
});

export async function answerPage({ double, control, sent }: Page, call: PageCall): Promise<PageAnswer> {
  if (call.url.pathname !== '/') return message(404, 'Page not found', 'The page is at the root.');
  if (call.method === 'POST') return press({ double, control, sent }, call);
  if (call.method !== 'GET' && call.method !== 'HEAD') {
    return message(405, 'Method not allowed', 'Open the page and use its buttons.');
  }
  const { store, switches } = double;
  const newest = store.wallets.list().slice(-SHOWN).toReversed();
  const wallets = await Promise.all(
    newest.map(async (wallet) => ({ wallet, balances: await readShown(double, wallet) })),
  );
  const html = renderPage({
    walletSets: store.walletSets.list(),
    wallets,
    walletCount: store.wallets.list().length,
    transactions: store.transactions
      .list()
      .slice(-SHOWN)
      .toReversed()
      .map((one) => ({ transaction: one, symbol: findToken(double, one.tokenId)?.symbol ?? '' })),
    transactionCount: store.transactions.list().length,
    sent: sent.slice(-SHOWN).toReversed(),
    subscriptions: store.subscriptions.list(),
    switches,
  });
  return { status: 200, headers: pageHeaders(), html };
}

/** Undefined while the chain does not answer. */
async function readShown(double: Double, wallet: Parameters<typeof readBalances>[1]): Promise<string[] | undefined> {
  try {
    const balances = await readBalances(double, wallet, new URLSearchParams());
    return balances.map(({ amount, token }) => `${amount} ${token.symbol}`);
  } catch {
    return undefined;
  }
}

function press({ control, double }: Page, { body, headers }: PageCall): PageAnswer {
  // Pages of other sites must not post here.
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`) {
    return message(403, 'From another site', 'Buttons only work on this page.');
  }
  const name = new URLSearchParams(body.toString('utf8')).get('switch') ?? '';
  const button = findButton(name);
  if (!button) return message(400, 'No such switch', 'Go back and choose another.');
  control.turn(button.isOn(double.switches) ? button.off : button.on);
  return { status: 303, headers: { location: '/' }, html: '' };
}
