import { hash } from 'node:crypto';
import { formatUsdc } from '../../core/money.ts';
import type { Hex } from '../../core/ports.ts';
import type { OverviewBalance, OverviewRate, Overviews } from '../../overview/openOverview.ts';
import { renderTime } from '../answers/renderTime.ts';
import type { Operation } from '../contract/createApi.ts';

/** Balances and rates of any wallet. The answer does not reveal whether the wallet is one of ours. */
export const walletOverviewOperation =
  (app: { readonly overviews: Overviews }): Operation =>
  async (call) => {
    const address = call.query.address as Hex;
    const { rates, balances } = await app.overviews.read(address);
    const body = `{"address":"${address}","rates":${printRates(rates)},"balances":[${balances.map(renderBalance)}]}`;
    const etag = `"${hash('sha1', body, 'base64url')}"`;
    const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' };
    if (isNamed(call.headers['if-none-match'], etag))
      return { status: 304, body: '', headers, contentType: 'application/json' };
    return { body, headers, contentType: 'application/json' };
  };

/**
 * JSON written by hand, because this is the most frequent answer: every value is digits, a name from our configuration
 * or a time, so only the source of a rate needs escaping.
 */
function renderBalance(balance: OverviewBalance): string {
  const { blockchain, symbol, available, held, pendingIn, onchain, blockNumber, asOfMs, isStale } = balance;
  return (
    `{"blockchain":"${blockchain}","token":"${symbol}","available":${renderAmount(available)},"held":${renderAmount(held)},` +
    `"pending_in":${renderAmount(pendingIn)},"onchain":${onchain === null ? null : renderAmount(onchain)},` +
    `"block_number":${blockNumber},"as_of":${asOfMs === null ? null : `"${renderTime(asOfMs)}"`},"stale":${isStale}}`
  );
}

const printed = new WeakMap<readonly OverviewRate[], string>();

/** Rendered once, and kept until the rates are read again. */
function printRates(rates: readonly OverviewRate[]): string {
  const known = printed.get(rates);
  if (known !== undefined) return known;
  const text = `[${rates.map(renderRate)}]`;
  printed.set(rates, text);
  return text;
}

function renderRate({ pair, price, asOfMs, isStale, source }: OverviewRate): string {
  const asOf = renderTime(asOfMs);
  return `{"pair":"${pair}","price":"${price}","as_of":"${asOf}","stale":${isStale},"source":${JSON.stringify(source)}}`;
}

const renderAmount = (text: string): string => (text === '0' ? '"0"' : `"${formatUsdc(BigInt(text))}"`);

/** Weak comparison, as RFC 9110 wants for GET: a proxy may have made our tag weak. */
function isNamed(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);
}
