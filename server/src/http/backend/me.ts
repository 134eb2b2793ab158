import { getAddress, isAddress } from 'viem/utils';
import type { Hex } from '../../core/ports.ts';
import { getKyc } from '../../customers/kyc/checkKyc.ts';
import { readLimits } from '../../customers/limits/readLimits.ts';
import type { Caller } from '../../customers/sessions/sessions.ts';
import { setDiscoverable } from '../../customers/setDiscoverable.ts';
import { getCustomer } from '../../customers/users.ts';
import { listOtherAddresses } from '../../customers/wallets/listOtherAddresses.ts';
import type { Db, Queryable } from '../../db/database.ts';
import type { Read } from '../../db/standbys/openReads.ts';
import { readGeneralPauses } from '../../operators/pauses.ts';
import type { Overviews } from '../../overview/openOverview.ts';
import type { Destinations } from '../../payments/destinations/openDestinations.ts';
import { type Payee, parsePayeeCursor, readPayees, renderPayeeCursor } from '../../payments/read/readPayees.ts';
import { answerTagged } from '../answers/answerTagged.ts';
import { printOverview } from '../answers/printOverview.ts';
import type { ApiCall, Operation } from '../contract/operation.ts';
import { CURRENCY } from '../currency.ts';
import { getRequiredCaller } from './authorize.ts';
import { renderKyc } from './kyc.ts';
import { renderLimits } from './limits.ts';
import { renderCustomer } from './login.ts';

interface App {
  readonly db: Queryable;
  readonly read: Read;
  readonly homeBlockchain: string;
  readonly overviews: Overviews;
  /** Shows addresses only on these blockchains: deposits on other blockchains are not seen. */
  readonly destinations: Pick<Destinations, 'blockchains'>;
}

const callerOf = (call: ApiCall) => getRequiredCaller(call.caller as Caller | undefined);

export const readMeOperation =
  ({ read, homeBlockchain, destinations }: App): Operation =>
  async (call) => {
    const { userId } = callerOf(call);
    const [customer, addresses, kyc, limits, pauses] = await read((db) =>
      Promise.all([
        getCustomer(db, userId),
        listOtherAddresses(db, userId, destinations.blockchains),
        // The last known status. `POST /api/v1/kyc/check-status/{user_id}` asks the provider.
        getKyc(db, userId),
        readLimits(db, userId, CURRENCY.symbol),
        readGeneralPauses(db),
      ]),
    );
    const body = {
      ...renderCustomer(customer, homeBlockchain),
      discoverable: customer.user.discoverable,
      other_addresses: addresses.map(({ blockchain, address }) => ({ blockchain, address })),
      kyc: renderKyc(kyc),
      limits: renderLimits(userId, limits),
      pauses: pauses.map(renderPause),
    };
    return answerTagged(call, JSON.stringify(body));
  };

export const changeMeOperation =
  (app: { readonly db: Db }): Operation =>
  async (call) => {
    const { userId } = callerOf(call);
    const { discoverable } = call.body as { discoverable: boolean };
    await app.db.tx((tx) => setDiscoverable(tx, userId, discoverable));
    return { body: { discoverable } };
  };

function renderPause({ scope, reason, pausedAt }: Awaited<ReturnType<typeof readGeneralPauses>>[number]) {
  const [what, blockchain = null] = scope.split(':');
  return {
    payments: what === 'chain' ? 'addresses' : what === 'user' ? 'people' : 'all',
    blockchain,
    reason,
    since: pausedAt.toISOString(),
  };
}

export const readMyOverviewOperation =
  ({ read, overviews }: App): Operation =>
  async (call) => {
    const { userId } = callerOf(call);
    const { wallet } = await read((db) => getCustomer(db, userId));
    const overview = wallet ? overviews.read(wallet.address as Hex) : overviews.readWithoutWallet(userId);
    return answerTagged(call, printOverview(wallet?.address ?? null, await overview));
  };

export const listMyRecipientsOperation =
  ({ db }: App): Operation =>
  async (call) => {
    const { userId } = callerOf(call);
    const limit = Number.parseInt(call.query.limit ?? '50', 10);
    const after = call.query.cursor === undefined ? undefined : parsePayeeCursor(call.query.cursor);
    const { payees, next } = await readPayees(db, { userId, limit, after });
    const cursor = next === undefined ? null : renderPayeeCursor(next);
    const Link = `<${call.route}?limit=${limit}&cursor=${cursor}>; rel="next"`;
    return {
      body: { recipients: payees.map(renderPayee), next_cursor: cursor },
      headers: cursor === null ? {} : { Link },
    };
  };

const renderPayee = ({ to, blockchain, lastPaidAt, payments }: Payee) => ({
  to: 'address' in to ? { address: isAddress(to.address) ? getAddress(to.address) : to.address } : to,
  blockchain,
  payments,
  last_paid_at: lastPaidAt.toISOString(),
});
