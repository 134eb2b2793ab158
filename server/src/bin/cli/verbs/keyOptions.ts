/** The options of `florin key`, and their description in its output. */
import { PayError } from '../../../core/errors.ts';
import { formatUsdc, parseUsdc } from '../../../core/money.ts';
import { type KeyLimits, type KeyRules, NOTHING } from '../../../customers/keys/keyRules.ts';
import type { Queryable } from '../../../db/database.ts';
import { parseRanges } from '../../../http/connections/findAddress.ts';
import { findUuid } from '../../../http/contract/parseUuid.ts';
import type { Given, Options } from '../../program/command.ts';
import { misused, unknown } from '../../program/faults.ts';
import { findUserId, parseBlockchain } from '../../program/lookups.ts';
import { parseTime } from '../../program/parseTime.ts';

const USDC = { type: 'string', value: 'USDC' } as const;

export const KEY_OPTIONS = {
  user: { type: 'string', multiple: true, value: 'NAME', summary: "may spend this person's money; repeatable" },
  wallet: { type: 'string', multiple: true, value: 'ID', summary: "may spend this wallet's money; repeatable" },
  'any-wallet': { type: 'boolean', summary: "may spend every person's money" },
  payment: { ...USDC, summary: 'per payment; "none" means no limit' },
  day: { ...USDC, summary: 'per 24 hours' },
  month: { ...USDC, summary: 'per 30 days' },
  treasury: { type: 'boolean', summary: "may also spend the service's own money, with its own three limits" },
  'no-treasury': { type: 'boolean', summary: 'revokes --treasury' },
  'treasury-payment': { ...USDC, summary: 'per payment of the treasury' },
  'treasury-day': { ...USDC, summary: 'per 24 hours' },
  'treasury-month': { ...USDC, summary: 'per 30 days' },
  blockchain: {
    type: 'string',
    multiple: true,
    value: 'NAME',
    summary: 'only on this blockchain; repeatable; "any" means all',
  },
  to: {
    type: 'string',
    multiple: true,
    value: 'ADDRESS',
    summary: 'only to this address or range 0x…-0x…; "any" means all',
  },
  expires: { type: 'string', value: 'DAY', summary: '2027-01-31 or 2027-01-31T12:00Z, in UTC; or "never"' },
  certificate: {
    type: 'string',
    value: 'SHA256',
    summary: 'works only with this client certificate (docs/tls.md); or "none"',
  },
  from: {
    type: 'string',
    multiple: true,
    value: 'RANGE',
    summary: 'works only from these addresses (203.0.113.7, 10.0.0.0/8, 2001:db8::/48); or "any"',
  },
} as const satisfies Options;

type KeyOptions = Given<typeof KEY_OPTIONS>;

/** Replaces the given options and keeps the rest. */
export async function applyKeyOptions(db: Queryable, before: KeyRules, options: KeyOptions): Promise<KeyRules> {
  const named = options.user !== undefined || options.wallet !== undefined;
  if (named && options['any-wallet']) throw misused('--any-wallet includes everyone: omit --user and --wallet');
  if (options.treasury && options['no-treasury']) throw misused('give --treasury or --no-treasury, not both');
  const payers = options['any-wallet']
    ? { anyPerson: true, users: [], wallets: [] }
    : named
      ? {
          anyPerson: false,
          users: await Promise.all((options.user ?? []).map((text) => findUserId(db, text))),
          wallets: await Promise.all((options.wallet ?? []).map((text) => findWallet(db, text))),
        }
      : {};
  return {
    ...before,
    ...payers,
    ...(options.blockchain && { blockchains: await parseBlockchains(db, options.blockchain) }),
    ...(options.to && { destinations: parseDestinations(options.to) }),
    ...(options.expires !== undefined && {
      expiresAt: options.expires === 'never' ? null : parseTime(options.expires, ', or "never"'),
    }),
    ...(options.certificate !== undefined && { certificate: parseFingerprint(options.certificate) }),
    ...(options.from && { clients: parseClients(options.from) }),
    people: parseLimits(before.people, options.payment, options.day, options.month),
    treasury: parseTreasury(before.treasury, options),
  };
}

export const saysWhatItSpends = (options: KeyOptions): boolean =>
  Boolean(options['any-wallet'] || options.user || options.wallet || options.treasury);

function parseTreasury(before: KeyLimits | null, options: KeyOptions): KeyLimits | null {
  const given = [options['treasury-payment'], options['treasury-day'], options['treasury-month']] as const;
  if (options['no-treasury']) return null;
  if (!options.treasury && before === null) {
    if (given.some((text) => text !== undefined)) throw misused('limits of the treasury need --treasury');
    return null;
  }
  const limits = parseLimits(before ?? NOTHING.people, ...given);
  if (limits.payment === null || limits.day === null || limits.month === null) {
    throw misused('--treasury needs amounts: --treasury-payment, --treasury-day and --treasury-month');
  }
  return limits;
}

function parseLimits(before: KeyLimits, payment?: string, day?: string, month?: string): KeyLimits {
  return {
    payment: payment === undefined ? before.payment : parseLimit(payment),
    day: day === undefined ? before.day : parseLimit(day),
    month: month === undefined ? before.month : parseLimit(month),
  };
}

function parseLimit(text: string): bigint | null {
  if (text === 'none') return null;
  try {
    const amount = /^\d+(\.\d+)?$/.test(text) ? parseUsdc(text) : 0n;
    if (amount > 0n) return amount;
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
  }
  throw misused(`"${text}" is not an amount of USDC above 0 or "none"`);
}

async function findWallet(db: Queryable, text: string): Promise<string> {
  const id = findUuid(text);
  const [wallet] = id
    ? await db.query<{ is_treasury: boolean }>(
        'SELECT user_id IS NULL AS is_treasury FROM wallets WHERE wallet_id = $1',
        [id],
      )
    : [];
  if (!id || !wallet) throw unknown(`there is no wallet ${text}`);
  if (wallet.is_treasury) throw misused(`${text} belongs to the service: use --treasury, with its limits`);
  return id;
}

async function parseBlockchains(db: Queryable, texts: readonly string[]): Promise<readonly string[] | null> {
  if (texts.length === 1 && texts[0] === 'any') return null;
  return Promise.all(texts.map((text) => parseBlockchain(db, text)));
}

/** `0x…` or `0x…-0x…`. */
function parseDestinations(texts: readonly string[]): readonly (readonly [string, string])[] | null {
  if (texts.length === 1 && texts[0] === 'any') return null;
  return texts.map((text) => {
    const [, first, last] = /^(0x[0-9a-f]{40})(?:-(0x[0-9a-f]{40}))?$/.exec(text.toLowerCase()) ?? [];
    if (!first || (last && last < first)) {
      throw misused(`"${text}" is not an address, a range of addresses 0x…-0x…, or "any"`);
    }
    return [first, last ?? first];
  });
}

function parseFingerprint(text: string): string | null {
  if (text === 'none') return null;
  const digits = text.replaceAll(':', '').toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(digits)) {
    throw misused('--certificate must be the SHA-256 fingerprint: openssl x509 -noout -fingerprint -sha256 -in FILE');
  }
  return digits;
}

/** IPv6 clients are identified by their /64 network, so a narrower range cannot be checked. */
function parseClients(texts: readonly string[]): readonly string[] | null {
  if (texts.length === 1 && texts[0] === 'any') return null;
  try {
    parseRanges(texts);
  } catch (error) {
    throw misused(`${(error as Error).message} such as 203.0.113.0/24, or "any"`);
  }
  const narrow = texts.find((text) => text.includes(':') && Number(text.split('/')[1] ?? 128) > 64);
  if (narrow !== undefined) throw misused(`"${narrow}" is narrower than /64, the network of one client`);
  return texts;
}

/** In one line, for lists and histories. */
export function describeRules(rules: KeyRules): string {
  const payers = rules.anyPerson
    ? ["every person's wallets"]
    : [...rules.users.map((id) => `user ${id}`), ...rules.wallets.map((id) => `wallet ${id}`)];
  const spends = payers.length > 0 ? `${payers.join(', ')}${describeLimits(rules.people)}` : "no person's wallet";
  const treasury = rules.treasury ? `the treasury${describeLimits(rules.treasury)}` : 'not the treasury';
  const ranges = rules.destinations?.map(([first, last]) => (first === last ? first : `${first}-${last}`));
  return [
    spends,
    treasury,
    rules.blockchains && `on ${rules.blockchains.join(', ')}`,
    ranges && `to ${ranges.join(', ') || 'no address'}`,
    rules.expiresAt && `until ${rules.expiresAt.toISOString()}`,
    rules.certificate && `with certificate ${rules.certificate}`,
    rules.clients && `from ${rules.clients.join(', ')}`,
  ]
    .filter(Boolean)
    .join('; ');
}

function describeLimits({ payment, day, month }: KeyLimits): string {
  const limits = Object.entries({ payment, day, month }).flatMap(([span, amount]) =>
    amount === null ? [] : [`${span} ${formatUsdc(amount)}`],
  );
  return limits.length > 0 ? ` (${limits.join(', ')} USDC)` : ' without limits';
}
