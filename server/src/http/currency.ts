import { DECIMALS } from '../core/money.ts';

/**
 * The currency of our HTTP APIs: their requests and answers name no other. Modules below `http` never name a currency.
 * They take it as a value or read it from the database.
 */
export const CURRENCY = { symbol: 'USDC', decimals: DECIMALS } as const;
