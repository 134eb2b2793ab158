import { createPages, escapeHtml } from '../../createPages.ts';
import type { Subscription, Transaction, Wallet, WalletSet } from '../records.ts';
import type { SentWebhook } from '../sendNotifications.ts';
import type { Switches } from '../switches.ts';
import { GROUPS } from './switchButtons.ts';

const pages = createPages(`
main { max-width: 72rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { margin: 0 0 .25rem; font-size: 1.75rem; line-height: 1.2; letter-spacing: -.015em; }
h2 { margin: 2.25rem 0 .75rem; font-size: 1.0625rem; }
h2 small { color: var(--soft); font-weight: 400; font-size: .875rem; }
h3 { margin: 1.25rem 0 .5rem; font-size: .875rem; font-weight: 600; color: var(--soft); }
p { margin: 0 0 1rem; color: var(--soft); max-width: 44rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .875rem; padding: .875rem 1.125rem; }
.list { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); gap: .75rem; }
.top { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .25rem .75rem; }
.top b { overflow-wrap: anywhere; }
.line { color: var(--soft); font-size: .875rem; overflow-wrap: anywhere; }
.id { color: var(--soft); font: .75rem/1.6 ui-monospace, Menlo, Consolas, monospace; word-break: break-all; }
.state { padding: .125rem .625rem; border-radius: 1rem; font-size: .8125rem; font-weight: 600; white-space: nowrap;
  background: var(--wait-ground); color: var(--wait); }
.state.good { background: var(--good-ground); color: var(--good); }
.state.plain { background: var(--tag); color: var(--accent); }
.state.bad { background: var(--bad-ground); color: var(--bad); }
form { margin: 0; }
.switches { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr)); gap: .75rem; }
.switches button { display: grid; grid-template-columns: 1fr auto; gap: 0 .75rem; align-items: center; align-content: center;
  text-align: left;
  font-size: .9375rem; padding: .75rem 1rem; background: var(--card); }
.switches button:hover { border-color: var(--accent); }
.switches span { color: var(--soft); font-size: .875rem; grid-column: 1; }
.switches i { grid-row: 1 / span 2; grid-column: 2; font-style: normal; font-size: .8125rem; font-weight: 600;
  color: var(--soft); }
.switches button[aria-pressed="true"] { border-color: var(--bad); background: var(--bad-ground); }
.switches button[aria-pressed="true"] i { color: var(--bad); }
details { margin-top: .25rem; }
summary { cursor: pointer; color: var(--soft); font-size: .9375rem; padding: .625rem 0; }
summary:focus-visible { border-radius: .25rem; }
.empty { text-align: center; padding: 1.75rem 1rem; border-style: dashed; }
.empty p { margin: .25rem auto 0; }
`);

export const pageHeaders = (): Record<string, string> => ({
  ...pages.headers("'self'"),
  // Without it, browsers would send `Origin: null`, and the page could not distinguish its own posts from others.
  'referrer-policy': 'same-origin',
});

interface Shown {
  readonly walletSets: readonly WalletSet[];
  readonly wallets: readonly { readonly wallet: Wallet; readonly balances: readonly string[] | undefined }[];
  readonly walletCount: number;
  readonly transactions: readonly { readonly transaction: Transaction; readonly symbol: string }[];
  readonly transactionCount: number;
  readonly sent: readonly SentWebhook[];
  readonly subscriptions: readonly Subscription[];
  readonly switches: Switches;
}

export function renderPage(shown: Shown): string {
  const { walletSets, wallets, transactions, sent, subscriptions } = shown;
  return pages.render(
    'Circle wallets',
    `<p class="tag">Sandbox</p>
<h1>Circle’s wallets</h1>
<p>This stands in for Circle’s developer-controlled wallets. It has the keys, and coins move on the local chains. The
double keeps the coins of Solana and Aptos itself. Reload the page to see changes.</p>
<h2>Transactions ${countOf(transactions.length, shown.transactionCount)}</h2>
${renderList(transactions.map(renderTransaction), 'No transactions yet', 'Coins that leave or reach a wallet appear here.')}
<h2>Wallets ${countOf(wallets.length, shown.walletCount)}</h2>
${renderList(wallets.map(renderWallet), 'No wallets yet', 'A wallet is created when a person logs in.')}
<h2>Wallet sets</h2>
${renderList(walletSets.map(renderWalletSet), 'No wallet sets yet', 'Every wallet belongs to a wallet set.')}
<h2>Webhooks sent ${subscriptions.map(({ endpoint }) => `<small>to ${escapeHtml(endpoint)}</small>`).join(' ')}</h2>
${renderList(sent.map(renderSent), 'None since the start', 'Subscribers are notified of each new state of a transaction.')}
<h2>Faults</h2>
${renderSwitches(shown.switches)}`,
  );
}

const countOf = (shown: number, all: number): string =>
  shown < all ? `<small>the newest ${shown} of ${all}</small>` : '';

/** This many are shown; the others are folded away. */
const UNFOLDED = 6;

function renderList(items: readonly string[], nothing: string, why: string): string {
  if (items.length === 0) return `<div class="card empty"><b>${nothing}</b>\n<p>${why}</p></div>`;
  const list = (some: readonly string[]) => `<ul class="list">\n${some.join('\n')}\n</ul>`;
  const [first, rest] = [items.slice(0, UNFOLDED), items.slice(UNFOLDED)];
  if (rest.length === 0) return list(first);
  return `${list(first)}\n<details><summary>${rest.length} more</summary>\n${list(rest)}\n</details>`;
}

const card = (title: string, state: string, lines: readonly string[]): string =>
  `<li class="card"><div class="top"><b>${title}</b>${state}</div>\n${lines.join('\n')}</li>`;
const line = (text: string): string => (text === '' ? '' : `<div class="line">${escapeHtml(text)}</div>`);
const id = (text: string): string => (text === '' ? '' : `<div class="id">${escapeHtml(text)}</div>`);
const pill = (text: string, style: string): string => `<span class="state${style}">${escapeHtml(text)}</span>`;

function styleOf(state: string): string {
  if (state === 'COMPLETE') return ' good';
  return ['FAILED', 'DENIED', 'CANCELLED', 'STUCK'].includes(state) ? ' bad' : '';
}

function renderTransaction({ transaction, symbol }: Shown['transactions'][number]): string {
  const { transactionType, amounts, operation, blockchain, state, errorReason, refId } = transaction;
  const isIn = transactionType === 'INBOUND';
  const amount =
    amounts[0] === undefined
      ? operation.toLowerCase().replace('_', ' ')
      : `${isIn ? '+' : '−'} ${amounts[0]} ${symbol}`;
  return card(escapeHtml(amount), pill(state, styleOf(state)), [
    line([blockchain, errorReason, refId && `refId ${refId}`].filter(Boolean).join(' · ')),
    id(
      isIn
        ? `from ${transaction.sourceAddress}`
        : `to ${transaction.destinationAddress || transaction.contractAddress}`,
    ),
    id(transaction.txHash && `hash ${transaction.txHash}`),
    id(`id ${transaction.id}`),
  ]);
}

function renderWallet({ wallet, balances }: Shown['wallets'][number]): string {
  const money = balances === undefined ? 'The chain does not answer' : balances.map(round).join(' · ') || 'No coins';
  return card(escapeHtml(money), pill(wallet.blockchain, ' plain'), [
    line([wallet.accountType, wallet.name, wallet.refId && `refId ${wallet.refId}`].filter(Boolean).join(' · ')),
    id(wallet.address),
    id(`id ${wallet.id}`),
  ]);
}

/** Gas has eighteen decimals; six are enough here. */
const round = (balance: string): string => balance.replace(/(\.\d{6})\d+/, '$1');

const renderWalletSet = ({ id: setId, name, createDate }: WalletSet): string =>
  card(escapeHtml(name || 'Without a name'), '', [
    line(`since ${createDate.slice(0, 16).replace('T', ', ')} UTC`),
    id(`id ${setId}`),
  ]);

function renderSent({ at, notificationType, state, transactionId, answer }: SentWebhook): string {
  const isGood = typeof answer === 'number' && answer < 300;
  return card(
    escapeHtml(state || notificationType),
    pill(typeof answer === 'number' ? String(answer) : `not heard: ${answer}`, isGood ? ' good' : ' bad'),
    [line(`${notificationType} · ${at.slice(11, 23)}`), id(transactionId && `transaction ${transactionId}`)],
  );
}

function renderSwitches(switches: Switches): string {
  const groups = GROUPS.map(([title, buttons]) => {
    const rendered = buttons.map((button) => {
      const isOn = button.isOn(switches);
      return `<button name="switch" value="${button.name}" aria-pressed="${isOn}"><b>${button.label}</b><span>${button.says}</span><i>${isOn ? 'On' : 'Off'}</i></button>`;
    });
    return `<h3>${title}</h3>\n<div class="switches">\n${rendered.join('\n')}\n</div>`;
  });
  return `<form method="post" action="/">\n${groups.join('\n')}\n</form>`;
}

export function renderMessage(title: string, text: string): string {
  return pages.render(
    title,
    `<p class="tag">Sandbox</p>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>`,
  );
}
