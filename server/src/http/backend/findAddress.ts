import { PayError } from '../../core/errors.ts';
import { isAnyAddress } from '../../core/families.ts';
import type { Caller } from '../../customers/sessions/sessions.ts';
import { getCustomer } from '../../customers/users.ts';
import { findOwner } from '../../customers/wallets/findOwner.ts';
import type { Queryable } from '../../db/database.ts';
import type { Operation } from '../contract/operation.ts';
import { getRequiredCaller } from './authorize.ts';

/** Says whether an address belongs to a customer, and names the customer only if they let others find their name. */
export const findAddressOperation =
  (app: { readonly db: Queryable }): Operation =>
  async (call) => {
    const { userId } = getRequiredCaller(call.caller as Caller | undefined);
    const address = call.params.address!;
    if (!isAnyAddress(address)) throw new PayError('address.invalid', { reason: 'form' });
    const owner = await findOwner(app.db, address);
    const username = owner?.userId === userId ? (await getCustomer(app.db, userId)).user.username : owner?.username;
    return { body: { address, customer: owner !== undefined, username: username ?? null } };
  };
