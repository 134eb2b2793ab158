import type { Hex } from '../../core/ports.ts';
import type { Overviews } from '../../overview/openOverview.ts';
import { answerTagged } from '../answers/answerTagged.ts';
import { printOverview } from '../answers/printOverview.ts';
import type { Operation } from '../contract/operation.ts';

/** Balances and rates of any wallet. The answer does not reveal whether the wallet is one of ours. */
export const walletOverviewOperation =
  (app: { readonly overviews: Overviews }): Operation =>
  async (call) => {
    const address = call.query.address as Hex;
    return answerTagged(call, printOverview(address, await app.overviews.read(address)));
  };
