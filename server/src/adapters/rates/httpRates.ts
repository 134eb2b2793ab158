import type { Rate, Rates } from '../../core/ports.ts';
import { readBounded } from '../supplied/readBounded.ts';

interface HttpRateSource {
  readonly pair: string;
  readonly url: string;
  /** With a GraphQL query the source is a subgraph, requested by POST; without one, by GET. */
  readonly query?: string | undefined;
  /** The path of the price in the answer: `data.bundle.ethPriceUSD`, `prices.0.value`. */
  readonly path: string;
  /** The path of its time (seconds, milliseconds or ISO 8601). Without it, the time of the answer is used. */
  readonly timePath?: string | undefined;
  readonly maxAgeSeconds: number;
}

const TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
const PRICE = /^\d{1,20}(\.\d{1,18})?$/;

/** Reads one price from an HTTP service or a subgraph. */
export function httpRates(source: HttpRateSource): Rates {
  const { pair, url, query, path, timePath, maxAgeSeconds } = source;
  return {
    async read(onFault) {
      try {
        const response = await fetch(url, {
          signal: AbortSignal.timeout(TIMEOUT_MS),
          redirect: 'error',
          ...(query && {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ query }),
          }),
        });
        if (!response.ok) throw new Error(`answered ${response.status}`);
        const body: unknown = JSON.parse(await readBounded(response, MAX_ANSWER_BYTES));
        const price = readPrice(findAt(body, path));
        const asOf = timePath ? readTime(findAt(body, timePath)) : new Date();
        return [{ pair, price, asOf, maxAgeSeconds, source: new URL(url).host } satisfies Rate];
      } catch (error) {
        onFault(pair, error as Error);
        return [];
      }
    },
  };
}

const findAt = (body: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((at, name) => {
    const isOwn = typeof at === 'object' && at !== null && Object.hasOwn(at, name);
    return isOwn ? (at as Record<string, unknown>)[name] : undefined;
  }, body);

/** Truncated, because subgraphs print very many decimals. */
function readPrice(value: unknown): string {
  const text = String(value).replace(/(\.\d{18})\d+$/, '$1');
  if (!['string', 'number'].includes(typeof value) || !PRICE.test(text) || /^0(\.0*)?$/.test(text)) {
    throw new Error('there is no positive price at that path');
  }
  return text;
}

function readTime(value: unknown): Date {
  const isCount = typeof value === 'number' || /^\d+$/.test(String(value));
  const count = Number(value);
  const time = isCount ? new Date(count < 1e11 ? count * 1000 : count) : new Date(String(value));
  if (Number.isNaN(time.getTime())) throw new Error('there is no time at that path');
  return time;
}
