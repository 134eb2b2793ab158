import type { IncomingHttpHeaders } from 'node:http';
import { PayError } from '../../core/errors.ts';
import type { Scope, ServiceCaller, ServiceCallers } from '../../customers/keys/serviceKeys.ts';
import { type Mode, parseBearer } from '../backend/authorize.ts';

/** These operations need the scope `read`; all others need `send`. */
const READS: ReadonlySet<string> = new Set([
  'wallet_overview_subgraph_wallet_overview_get',
  'get_transaction_circle_transaction__transaction_id__get',
]);

/**
 * In the sandbox the Web3 API needs no credential, as the interface says; in production it needs a service key. A key
 * that is sent is checked in both.
 */
export async function authorize(
  app: { readonly serviceCallers: ServiceCallers; readonly mode: Mode },
  call: { readonly headers: IncomingHttpHeaders; readonly operationId: string },
): Promise<ServiceCaller | undefined> {
  const header = call.headers.authorization;
  if (header === undefined) {
    if (app.mode === 'production') throw new PayError('auth.required');
    return undefined;
  }
  const caller = await app.serviceCallers.get(parseBearer(header));
  const scope: Scope = READS.has(call.operationId) ? 'read' : 'send';
  if (!caller.scopes.includes(scope)) throw new PayError('auth.scope', { scope });
  return caller;
}
