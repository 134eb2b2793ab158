import { formatUsdc } from '../../core/money.ts';
import type { Payment } from '../../core/payment.ts';
import { listClosedWithMoney } from '../../customers/account/listClosed.ts';
import { type LimitState, readLimits } from '../../customers/limits/readLimits.ts';
import { readProfile } from '../../customers/readProfile.ts';
import { listSessions } from '../../customers/sessions/sessions.ts';
import { renderPayment } from '../../http/answers/renderPayment.ts';
import { CURRENCY } from '../../http/currency.ts';
import { listPausesOf } from '../../operators/pauses.ts';
import { readPayments } from '../../payments/read/readPayments.ts';
import { type Noun, verb } from '../program/command.ts';
import { misused } from '../program/faults.ts';
import { findUserId } from '../program/lookups.ts';
import { renderFields, renderTable, renderTime, renderUsdc, shorten } from '../program/render.ts';
import { list } from './verbs/listUsers.ts';
import { logout } from './verbs/logout.ts';
import { passkeys, resetPasskeys } from './verbs/passkeys.ts';

const PAYMENTS = 10;

const show = verb({
  summary: 'Shows a person: money, limits, identity check, pauses, last payments',
  about: `USER is a username (current or former), a user id, an e-mail address, the address or id of a wallet, or the id of a session.`,
  words: ['USER'],
  options: {
    payments: { type: 'string', value: 'NUMBER', summary: `how many of the last payments; default ${PAYMENTS}` },
  },
  reads: true,
  examples: ['user show ada', 'user show 0x8ba1…', 'user show ada@example.com --payments 50'],
  async run({ db }, { words: [word = ''], options }) {
    const limit = parseNumber(options.payments);
    const userId = await findUserId(db, word);
    const profile = (await readProfile(db, userId))!;
    const limits = await readLimits(db, userId, CURRENCY.symbol);
    const pauses = await listPausesOf(db, userId);
    const { items } = await readPayments(db, { userId, limit, minAmount: 0n });
    const fields = renderFields([
      ['user', userId],
      ['username', profile.username ?? 'none yet'],
      ['before', profile.oldUsernames.join(', ')],
      ['e-mail', profile.email ?? undefined],
      ['logs in at', profile.issuer],
      ['since', renderTime(profile.createdAt)],
      ['last seen', renderTime(profile.lastUsedAt)],
      ['sessions', profile.openSessions === 0 ? 'none open' : `${profile.openSessions} open (florin user sessions)`],
      ['identity check', [profile.kycStatus, ...profile.kycReasons].join('; ')],
      [
        'paused',
        pauses.map((one) => `YES, by ${one.pausedBy} since ${renderTime(one.pausedAt)}: ${one.reason}`).join('\n') ||
          'no',
      ],
      ['limits', `${limits.tier}: ${limits.limits.map(describeLimit).join(', ')}`],
    ]);
    const money = profile.balances.map((one) => [
      one.blockchain,
      `${formatUsdc(one.available)} ${one.symbol}`,
      `${formatUsdc(one.held)} ${one.symbol}`,
      one.address ?? 'the signer has not made it yet',
    ]);
    const payments = items.map(({ payment, availableAfter }) => [
      renderTime(payment.createdAt),
      describePayment(payment, profile.username),
      payment.state,
      renderUsdc(availableAfter),
      payment.paymentId,
    ]);
    return {
      text: [
        fields,
        money.length === 0
          ? 'No money and no wallet yet.\n'
          : renderTable([['money on', 'available', 'held', 'wallet'], ...money]),
        payments.length === 0 ? 'No payments.\n' : renderPayments(payments),
      ].join('\n'),
      json: {
        user_id: userId,
        username: profile.username,
        old_usernames: profile.oldUsernames,
        email: profile.email,
        issuer: profile.issuer,
        created_at: profile.createdAt,
        last_used_at: profile.lastUsedAt,
        open_sessions: profile.openSessions,
        kyc_status: profile.kycStatus,
        kyc_reasons: profile.kycReasons,
        paused_because: pauses[0]?.reason ?? null,
        tier: limits.tier,
        limits: limits.limits.map(({ limit: name, maximum, left, resetsAt }) => ({
          limit: name,
          maximum: renderMaximum(name, maximum),
          left: renderMaximum(name, left),
          resets_at: resetsAt,
        })),
        balances: profile.balances.map((one) => ({
          blockchain: one.blockchain,
          available: formatUsdc(one.available),
          held: formatUsdc(one.held),
          wallet_id: one.walletId,
          address: one.address,
        })),
        payments: items.map(({ payment, availableAfter }) => ({
          ...renderPayment(payment),
          available_after: formatUsdc(availableAfter),
        })),
      },
    };
  },
});

const sessions = verb({
  summary: 'Shows where a person is logged in',
  words: ['USER'],
  reads: true,
  async run({ db }, { words: [word = ''] }) {
    const open = await listSessions(db, await findUserId(db, word));
    const rows = open.map((one) => [
      one.session_id,
      renderTime(one.created_at),
      renderTime(one.last_used_at),
      one.user_agent ?? '-',
    ]);
    return {
      text:
        rows.length === 0
          ? 'They have no open sessions.\n'
          : renderTable([['session', 'since', 'last used', 'program'], ...rows]),
      json: open,
    };
  },
});

const closed = verb({
  summary: 'Lists closed accounts that have received money since',
  about: 'No one can spend that money. To return it, end the pause: florin pause remove user:ID --cause closed.',
  reads: true,
  async run({ db }) {
    const accounts = await listClosedWithMoney(db);
    const rows = accounts.map((one) => [
      one.userId,
      renderTime(one.closedAt),
      one.blockchain,
      renderUsdc(one.available),
      renderUsdc(one.held),
    ]);
    return {
      text:
        rows.length === 0
          ? 'No closed account has money.\n'
          : renderTable([['user', 'closed', 'money on', 'available', 'held'], ...rows]),
      json: accounts.map((one) => ({
        user_id: one.userId,
        closed_at: one.closedAt,
        blockchain: one.blockchain,
        available: formatUsdc(one.available),
        held: formatUsdc(one.held),
      })),
    };
  },
});

export default {
  about: 'People, by username, user id, wallet address or e-mail address.',
  verbs: { show, list, sessions, logout, passkeys, 'reset-passkeys': resetPasskeys, closed },
} satisfies Noun;

function parseNumber(text = String(PAYMENTS)): number {
  const number = /^\d{1,3}$/.test(text) ? Number.parseInt(text, 10) : 0;
  if (number < 1 || number > 200) throw misused('--payments must be a number from 1 to 200');
  return number;
}

const renderMaximum = (name: LimitState['limit'], amount: bigint | null): string | null =>
  amount === null ? null : name === 'count' ? String(amount) : formatUsdc(amount);

const SPANS: Readonly<Record<LimitState['limit'], string>> = {
  payment: 'a payment',
  day: 'in 24 hours',
  month: 'in 30 days',
  count: 'payments in 24 hours',
};

function describeLimit({ limit, maximum, left }: LimitState): string {
  if (maximum === null) return `any ${limit === 'count' ? 'number of payments' : `amount ${SPANS[limit]}`}`;
  const most = renderMaximum(limit, maximum)!;
  return limit === 'payment'
    ? `${most} ${SPANS[limit]}`
    : `${renderMaximum(limit, left)} left of ${most} ${SPANS[limit]}`;
}

/** As this person sees it. */
function describePayment({ kind, amount, from, to }: Payment, username: string | null): string {
  const sum = renderUsdc(amount);
  if (kind === 'deposit') return `+${sum} deposit`;
  if (kind === 'correction' || kind === 'debt') return `${'address' in from ? '+' : '-'}${sum} ${kind}`;
  if (kind === 'chain') return `-${sum} to ${'address' in to ? shorten(to.address ?? '') : '?'}`;
  const payer = 'username' in from ? from.username : null;
  const payee = 'username' in to ? to.username : null;
  return payee === username ? `+${sum} from ${payer ?? '?'}` : `-${sum} to ${payee ?? '?'}`;
}

/** Two lines each: an id alone takes 36 of the 100 columns. */
const renderPayments = (rows: readonly (readonly string[])[]): string =>
  rows
    .map(([when, what, state, after, id]) => `${when}  ${what}, ${state}, leaves ${after}\n${' '.repeat(25)}${id}\n`)
    .join('');
