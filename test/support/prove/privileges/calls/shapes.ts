/** JSON as the callers in server/src send it to database functions. */
import type { Json } from '../value.ts';
import { addressOf, HOME_CHAIN, idOf, TREASURY_WALLET, userOf } from '../world/names.ts';

export const SEND_RULES: Json = { threshold: null, delay: 0, list_age: 0 };
export const RAILS: Json = { local: 'eip3009', circle: 'eip3009', circle_send: 'provider' };

export const sendOf = (id: string, more: Readonly<Record<string, Json>> = {}) => ({
  id,
  caller: null as Json,
  asked: true,
  hash: null as Json,
  trace: null as Json,
  blockchain: HOME_CHAIN,
  currency: 'USDC',
  destination: addressOf(7_001),
  amount: '1000000',
  wallet: null as Json,
  username: null as Json,
  person: null as Json,
  session: null as Json,
  shown: 'username',
  job: `submit ${HOME_CHAIN}`,
  ...more,
});

export const keyRules = () => ({
  any_person: true,
  users: [] as Json,
  wallets: [] as Json,
  blockchains: null as Json,
  destinations: null as Json,
  expires_at: null as Json,
  certificate: null as Json,
  clients: null as Json,
  people: { payment: 150_000_000, day: 300_000_000, month: 500_000_000 } as Json,
  treasury: { payment: 130_000_000, day: 260_000_000, month: 500_000_000 } as Json,
});

export const payoutOf = (id: string, more: Readonly<Record<string, Json>> = {}) => ({
  id,
  currency: 'USDC',
  key: idOf('key', 3),
  certificate: null as Json,
  client: null as Json,
  payer: null as Json,
  wallet: TREASURY_WALLET as Json,
  on_shortage: 'wait',
  content_type: 'text/csv',
  known_count: 0,
  known_total: 0,
  ...more,
});

/** A payout row: to a person if `username` is given, otherwise to an address. */
export const payoutRow = (nth: number, more: { readonly amount: string; readonly username?: string }) => ({
  id: idOf('payment', 1_000 + nth),
  reference: `row ${nth}`,
  username: more.username ?? (null as Json),
  person: (more.username ? userOf(more.username) : null) as Json,
  destination: (more.username ? null : addressOf(7_100 + nth)) as Json,
  blockchain: HOME_CHAIN,
  amount: more.amount,
  note: null as Json,
});
