import type { Operation } from '../contract/createApi.ts';

/** Balances are listed per connected blockchain and rates per configured source; there are none of either yet. */
export const walletOverviewOperation: Operation = async (call) => ({
  body: { address: call.query.address, rates: [], balances: [] },
});
