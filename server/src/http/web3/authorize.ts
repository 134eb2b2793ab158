import type { IncomingHttpHeaders } from 'node:http';
import { PayError } from '../../core/errors.ts';
import type { Scope, ServiceCaller, ServiceCallers } from '../../customers/keys/serviceKeys.ts';
import { type Mode, parseBearer } from '../backend/authorize.ts';
import { isWithin, parseRanges } from '../connections/findAddress.ts';

/** These operations need the scope `read`; all others need `send`. */
const READS: ReadonlySet<string> = new Set([
  'wallet_overview_subgraph_wallet_overview_get',
  'get_transaction_circle_transaction__transaction_id__get',
]);

/** The statement that accepts a send reads the key itself, so this call needs no look before. */
const CONFIRMS_ITSELF = 'send_specific_amount_usdc_wallet_send_usdc_post';

/**
 * In the sandbox the Web3 API needs no credential, as the interface says; in production it needs a service key. A key
 * that is sent is checked in both.
 */
export async function authorize(
  app: { readonly serviceCallers: ServiceCallers; readonly mode: Mode },
  call: {
    readonly headers: IncomingHttpHeaders;
    readonly operationId: string;
    readonly certificate: string | undefined;
    readonly address: string;
  },
): Promise<ServiceCaller | undefined> {
  const header = call.headers.authorization;
  if (header === undefined) {
    if (app.mode === 'production') throw new PayError('auth.required');
    return undefined;
  }
  const key = parseBearer(header);
  const { serviceCallers } = app;
  const isConfirmed = call.operationId !== CONFIRMS_ITSELF;
  const caller = await (isConfirmed ? serviceCallers.get(key) : serviceCallers.recall(key));
  if (isConfirmed) refuseOtherClients(caller, call);
  const scope: Scope = READS.has(call.operationId) ? 'read' : 'send';
  if (!caller.scopes.includes(scope)) throw new PayError('auth.scope', { scope });
  return caller;
}

/** A key that is bound to a client certificate or to addresses is worth nothing to whoever has others. */
export function refuseOtherClients(
  { certificate, clients }: ServiceCaller,
  shown: { readonly certificate: string | undefined; readonly address: string },
): void {
  if (certificate !== null && certificate !== shown.certificate) {
    throw new PayError('auth.invalid', { reason: 'certificate' });
  }
  if (clients !== null && !isWithin(parseRanges(clients), shown.address)) {
    throw new PayError('auth.invalid', { reason: 'address' });
  }
}
