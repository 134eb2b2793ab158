import { PayError } from '../../core/errors.ts';
import type {
  AccountCaller,
  AccountScope,
  Scope,
  ServiceCaller,
  ServiceCallers,
} from '../../customers/keys/serviceKeys.ts';
import { isClientIn } from '../connections/findAddress.ts';

/** The client, as a call shows it. */
interface Shown {
  readonly certificate: string | undefined;
  readonly address: string;
}

/** Returns the service that owns the key, if the key has the scope and this client may use it. */
export async function authorizeKey(
  serviceCallers: ServiceCallers,
  key: string,
  scope: Scope,
  shown: Shown,
): Promise<ServiceCaller> {
  const caller = await serviceCallers.get(key);
  refuseOtherClients(caller, shown);
  refuseOtherScopes(caller, scope);
  return caller;
}

/** Returns the account of the key, if the key has one of the scopes and this client may use it. No scopes: no key may. */
export async function authorizeAccountKey(
  serviceCallers: ServiceCallers,
  key: string,
  scopes: readonly AccountScope[] | undefined,
  { address }: Pick<Shown, 'address'>,
): Promise<AccountCaller> {
  const caller = await serviceCallers.getAccount(key);
  refuseOtherAddresses(caller.clients, address);
  if (!scopes) throw new PayError('key.person_only');
  if (!scopes.some((scope) => caller.scopes.includes(scope))) throw new PayError('auth.scope', { scope: scopes[0]! });
  return caller;
}

export function refuseOtherScopes({ scopes }: ServiceCaller, scope: Scope): void {
  if (!scopes.includes(scope)) throw new PayError('auth.scope', { scope });
}

/** Whether this caller of an operation for services reads what people have written. The sandbox takes calls without a key. */
export const mayReadNotes = (caller: ServiceCaller | undefined): boolean =>
  caller === undefined || caller.scopes.includes('notes');

/** Refuses a key that is bound to a client certificate or to addresses if the client has others. */
export function refuseOtherClients({ certificate, clients }: ServiceCaller, shown: Shown): void {
  if (certificate !== null && certificate !== shown.certificate) {
    throw new PayError('auth.invalid', { reason: 'certificate' });
  }
  refuseOtherAddresses(clients, shown.address);
}

function refuseOtherAddresses(clients: readonly string[] | null, address: string): void {
  if (clients !== null && !isClientIn(clients, address)) throw new PayError('auth.invalid', { reason: 'address' });
}
