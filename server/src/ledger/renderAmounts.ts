import type { ErrorDetails } from '../core/errors.ts';
import { formatUsdc } from '../core/money.ts';

const AMOUNTS = new Set(['available', 'above', 'maximum', 'left']);

/** PostgreSQL returns amounts in micro-USDC, as text; callers get decimals. */
export function renderAmounts(details: Readonly<Record<string, string>>): ErrorDetails {
  if (details.unit === 'payments') return details;
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [name, AMOUNTS.has(name) ? formatUsdc(BigInt(value)) : value]),
  );
}
