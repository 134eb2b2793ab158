import { formatUsdc } from '../../core/money.ts';
import type { Overview, OverviewBalance, OverviewRate } from '../../overview/openOverview.ts';
import { renderTime } from './renderTime.ts';

/**
 * Balances and rates as JSON text, in the form of both APIs. The address needs no escaping and keeps the caller's
 * spelling.
 */
export function printOverview(address: string | null, { rates, balances }: Overview): string {
  const shown = address === null ? null : `"${address}"`;
  return `{"address":${shown},"rates":${printRates(rates)},"balances":[${balances.map(renderBalance)}]}`;
}

/**
 * Builds the JSON without `JSON.stringify`, because this is the most frequent answer. Every value is a number, a name
 * from our configuration or a time, so only the source of a rate needs escaping.
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

/** Rendered once and kept until the rates are read again. */
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
