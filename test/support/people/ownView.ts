/** A person's calls about their own money, on a real socket, in a world with wallets and a chain. */

import { unreadChain } from '../../../server/src/adapters/chain/unreadChain.ts';
import type { Hex } from '../../../server/src/core/ports.ts';
import { readOn } from '../../../server/src/db/standbys/openReads.ts';
import { checkUsernameOperation } from '../../../server/src/http/backend/checkUsername.ts';
import { findAddressOperation } from '../../../server/src/http/backend/findAddress.ts';
import { findKeyedPaymentOperation } from '../../../server/src/http/backend/findKeyedPayment.ts';
import { getTransactionOperation } from '../../../server/src/http/backend/getTransaction.ts';
import {
  changeMeOperation,
  listMyRecipientsOperation,
  readMeOperation,
  readMyOverviewOperation,
} from '../../../server/src/http/backend/me.ts';
import { previewOperation } from '../../../server/src/http/backend/preview.ts';
import { sendToAddressOperation } from '../../../server/src/http/backend/sendToAddress.ts';
import { sendUsdcOperation } from '../../../server/src/http/backend/sendUsdc.ts';
import { openOverview } from '../../../server/src/overview/openOverview.ts';
import { openDestinations } from '../../../server/src/payments/destinations/openDestinations.ts';
import { openUserPayments } from '../../../server/src/payments/users/openUserPayments.ts';
import type { CustodyWorld } from '../chain/custody.ts';
import { type Answer, readAnswer } from '../http/answer.ts';
import { openTestWaits } from '../http/openTestWaits.ts';
import { serveOperations } from '../http/serveOperations.ts';
import { unlimitedNames } from '../http/unlimitedNames.ts';
import { HOME } from '../values.ts';

/** Its nodes are never asked; this service is still connected to it. */
const SOLANA = unreadChain({
  blockchain: 'SOL-DEVNET',
  token: { symbol: 'USDC', decimals: 6, contract: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU' as Hex },
});

export interface OwnView {
  /** Calls as the person with this id; undefined: without a credential. */
  call(
    userId: string | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  close(): Promise<void>;
}

export async function serveOwnView(world: CustodyWorld): Promise<OwnView> {
  const { db, databaseUrl, chain } = world;
  const overviews = openOverview({ databaseUrl, chains: [chain], currency: 'USDC' });
  const userPayments = openUserPayments({ databaseUrl, db, homeBlockchain: HOME, currency: 'USDC' });
  const waits = openTestWaits(db);
  const app = {
    ...waits,
    db,
    read: readOn(db),
    homeBlockchain: HOME,
    overviews,
    userPayments,
    names: unlimitedNames,
    destinations: openDestinations([chain, SOLANA], 'USDC'),
    get sends() {
      return world.sends;
    },
    get sendRules() {
      return world.sendRules;
    },
  };
  const api = await serveOperations('backend', {
    read_me: readMeOperation(app),
    read_my_overview: readMyOverviewOperation(app),
    list_my_recipients: listMyRecipientsOperation(app),
    get_transaction: getTransactionOperation(app),
    check_username: checkUsernameOperation(app),
    preview_payment: previewOperation(app),
    send_to_address: sendToAddressOperation(app),
    send_usdc: sendUsdcOperation(app),
    find_keyed_payment: findKeyedPaymentOperation(app),
    find_address: findAddressOperation(app),
    change_me: changeMeOperation(app),
  });
  return {
    async call(userId, method, path, body, headers = {}) {
      const response = await fetch(api.url + path, {
        method,
        headers: {
          ...(userId !== undefined && { 'x-test-user': userId }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return readAnswer(response);
    },
    async close() {
      await waits.follower.close();
      await api.close();
      await Promise.all([overviews.close(), userPayments.close()]);
    },
  };
}
